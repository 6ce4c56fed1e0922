/** Block boundaries of a Markdown text, for the view that renders a long one in pieces. */
export { noBlocks, placeLine, type OpenBlocks } from '../transcript/text/markdownBlocks';
