import { Marked, Tokenizer, type Tokens } from 'marked';

/** Number of characters of one block above which it is shown as plain text. */
export const longestBlock = 200_000;
// Quotes and lists nested this deep are an attack or an accident; the parser would recurse just as deep.
const nestedTooDeep = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){40}/m;
// A list at column 200 is a hundred lists deep.
const indentedTooDeep = /^[ \t]{200,}(?:[*+-]|\d{1,9}[.)])[ \t]/m;
/** Length of what may stand before the "@" of a mail address (RFC 5321 §4.5.3.1.1). */
const longestLocalPart = 64;
// An underscore inside a word begins no emphasis.
const longWord = /^(?:[A-Za-z\d.!#$%&'+/=?{|}-]|(?<=[A-Za-z\d])_+(?=[A-Za-z\d])){129,}/;
const manyBrackets = /[[\]*_~`]{2000}/;

/** A parser of Markdown for texts of a model or a tool, which may be hostile: none of it becomes HTML, and a text that
 *  is not `looksHostile` neither takes long nor fails. Add a renderer for `html`, `link` and `image`. */
export function markdownParser(): Marked {
  return new Marked({
    gfm: true,
    async: false,
    tokenizer: {
      // A footnote is not a link definition, which would be removed from the text.
      def: (source) => (/^ {0,3}\[\^/.test(source) ? undefined : false),
      blockquote: quote,
      tag: tagAsText,
      inlineText: longWordAsText,
    },
  });
}

/** True when some of its lines would make the parser recurse too deep or try forever. */
export function looksHostile(source: string): boolean {
  return nestedTooDeep.test(source) || indentedTooDeep.test(source) || manyBrackets.test(source);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** After `<pre>`, `<code>`, `<kbd>` or `<script>` in a line, the parser treats the text up to the closing tag as raw
 *  HTML and passes it on unescaped. Here no text is ever raw. */
function tagAsText(this: Tokenizer, source: string): Tokens.Tag | undefined {
  const token = Tokenizer.prototype.tag.call(this, source);
  this.lexer.state.inRawBlock = false;
  return token;
}

/** Takes a word that is longer than any address but for its end. The parser looks at each character of a word before
 *  "@" for the beginning of a mail address and reads up to the "@" each time: a minute for a file in base64. */
function longWordAsText(source: string): Tokens.Text | false {
  const word = longWord.exec(source)?.[0];
  if (word === undefined) return false;
  const raw = word.slice(0, -longestLocalPart);
  return { type: 'text', raw, text: raw, escaped: false };
}

/** The parser's own function fails on some quotes ("- a", then "  > 2. b", then "c"): such a quote then shows its
 *  source text. */
function quote(this: Tokenizer, source: string): Tokens.Blockquote | undefined {
  const state = { ...this.lexer.state };
  try {
    return Tokenizer.prototype.blockquote.call(this, source);
  } catch {
    Object.assign(this.lexer.state, state);
    const raw = source.split(/\n[ \t]*\n/, 1)[0] ?? source;
    return {
      type: 'blockquote',
      raw,
      text: raw,
      tokens: [{ type: 'paragraph', raw, text: raw, tokens: [{ type: 'text', raw, text: raw, escaped: false }] }],
    };
  }
}
