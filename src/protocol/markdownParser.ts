/** The parser of Markdown, for the view that renders answers. */
export { escapeHtml, longestBlock, looksHostile, markdownParser } from '../transcript/text/markdownParser';
