/** Where the blocks of a Markdown text begin and end, for the view that draws a long one in pieces. */
export { noBlocks, placeLine, type OpenBlocks } from '../transcript/text/markdownBlocks';
