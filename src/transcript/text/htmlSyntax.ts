/** End of a CommonMark HTML block: at a line that contains `end`, or before a blank line. `isVerbatim`: its content
 *  is not markup to a reader (`<pre>`, a comment). */
export interface HtmlBlock {
  readonly end: RegExp | null;
  readonly endsAtBlank: boolean;
  readonly isVerbatim: boolean;
}

const attribute = String.raw`\s+[a-zA-Z_:][\w:.-]*(?:\s*=\s*(?:[^"'=<>\x60\x00-\x20]+|'[^']*'|"[^"]*"))?`;
const openTag = String.raw`<[A-Za-z][A-Za-z0-9-]*(?:${attribute})*\s*/?>`;
const closeTag = String.raw`</[A-Za-z][A-Za-z0-9-]*\s*>`;
const comment = '<!-->|<!--->|<!--[\\s\\S]*?-->';
const otherMarkup = '<[?][\\s\\S]*?[?]>|<![A-Za-z][^>]*>|<!\\[CDATA\\[[\\s\\S]*?\\]\\]>';
const autolink = '<[A-Za-z][A-Za-z0-9.+-]{1,31}:[^<>\\x00-\\x20]*>';

/** Markup within a paragraph in which a backtick is not code: a tag, a comment, an autolink. Sticky. */
export const inlineMarkup = new RegExp(`${openTag}|${closeTag}|${comment}|${otherMarkup}|${autolink}`, 'y');

const blockNames =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|' +
  'dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|' +
  'legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|' +
  'search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul';

const verbatimBlocks: readonly { readonly start: RegExp; readonly end: RegExp }[] = [
  { start: /^<(?:script|pre|textarea|style)(?:\s|>|$)/i, end: /<\/(?:script|pre|textarea|style)>/i },
  { start: /^<!--/, end: /-->/ },
  { start: /^<[?]/, end: /[?]>/ },
  { start: /^<![A-Za-z]/, end: />/ },
  { start: /^<!\[CDATA\[/, end: /\]\]>/ },
];
const namedBlock = new RegExp(`^</?(?:${blockNames})(?:\\s|/?>|$)`, 'i');
const anyTag = new RegExp(`^(?:${openTag}|${closeTag})\\s*$`);

/** HTML block that begins with `text`, the rest of a line. Within a paragraph, a tag of an unknown name begins none. */
export function htmlBlockAt(text: string, isInParagraph: boolean): HtmlBlock | null {
  if (!text.startsWith('<')) return null;
  const verbatim = verbatimBlocks.find(({ start }) => start.test(text));
  if (verbatim !== undefined) return { end: verbatim.end, endsAtBlank: false, isVerbatim: true };
  return namedBlock.test(text) || (!isInParagraph && anyTag.test(text))
    ? { end: null, endsAtBlank: true, isVerbatim: false }
    : null;
}
