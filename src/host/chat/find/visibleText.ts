/** Returns Markdown approximately as rendered, to find words in it. Leaves out the marks of emphasis and code, link
 *  targets, and the markers of headings, quotes and items. Code blocks stay as they are. Emphasis is matched within
 *  300 characters, so that no text takes long. */
export function visibleText(markdown: string): string {
  return markdown
    .split(/(^ {0,3}(?:```|~~~)[^\n]*\n[\s\S]*?(?:^ {0,3}(?:```|~~~)[ \t]*$|(?![\s\S])))/m)
    .map((piece, index) => (index % 2 === 1 ? codeOf(piece) : withoutMarks(piece)))
    .join('');
}

function codeOf(fenced: string): string {
  return fenced.replace(/^[^\n]*\n/, '').replace(/\n {0,3}(?:```|~~~)[ \t]*$/, '\n');
}

function withoutMarks(text: string): string {
  return text
    .replace(/!?\[([^\][]*)\]\([^()\s]{0,2000}(?:\([^()]*\)[^()]*)?(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/gm, '')
    .replace(/(?<!`)(`{1,3})(?!`)([\s\S]{1,300}?)(?<!`)\1(?!`)/g, '$2')
    .replace(/(\*\*\*|\*\*|~~)(?=\S)([\s\S]{0,300}?\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]*\S)\*(?![\w*])/g, '$1')
    .replace(/(?<!\w)(__?)(?=\S)([^_\n]*\S)\1(?!\w)/g, '$2');
}
