import { Lexer, Marked, Tokenizer, type Token, type Tokens, type TokensList } from 'marked';
import { t } from '../localization';
import { safeLink } from './links';
import { codeMarkup, escapeHtml, linkMarkup } from './markup';
import { mathAsText } from './math';

/** Number of characters of one block above which it is shown as plain text. */
const longestBlock = 200_000;
// Quotes and lists nested this deep are an attack or an accident; the parser would recurse just as deep.
const nestedTooDeep = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){40}/m;
// A list at column 200 is a hundred lists deep.
const indentedTooDeep = /^[ \t]{200,}(?:[*+-]|\d{1,9}[.)])[ \t]/m;
/** Length of what may stand before the "@" of a mail address (RFC 5321 §4.5.3.1.1). */
const longestLocalPart = 64;
// An underscore inside a word begins no emphasis.
const longWord = /^(?:[A-Za-z\d.!#$%&'+/=?{|}-]|(?<=[A-Za-z\d])_+(?=[A-Za-z\d])){129,}/;
const manyBrackets = /[[\]*_~`]{2000}/;

export interface LinkDefinitions {
  readonly [label: string]: Pick<Tokens.Link | Tokens.Image, 'href' | 'title'>;
}

export interface LexedBlocks {
  readonly tokens: readonly Token[];
  readonly links: LinkDefinitions;
}

const marked = createRenderer();

/** Splits Markdown into its top-level blocks; `known` are link definitions from earlier text. */
export function lexBlocks(source: string, known: LinkDefinitions = {}): LexedBlocks {
  if (isHostile(source)) return { tokens: [plainToken(source)], links: known };
  const lexer = new Lexer({ ...marked.defaults });
  Object.assign(lexer.tokens.links, known);
  const tokens: TokensList = lexer.lex(source);
  return { tokens, links: tokens.links };
}

/** Returns HTML of one block. Raw HTML is shown as text, and code is plain until it is highlighted when visible
 *  (codeColours.ts). The result must still be sanitized. */
export function renderBlock(token: Token): string {
  return marked.parser([token]);
}

// A single line or table may be a megabyte: parsing it as Markdown would block the page for seconds.
function isHostile(source: string): boolean {
  return looksHostile(source) || (source.length > longestBlock && hasLongRun(source));
}

/** True when some of its lines would make the parser recurse too deep or try forever. */
export function looksHostile(source: string): boolean {
  return nestedTooDeep.test(source) || indentedTooDeep.test(source) || manyBrackets.test(source);
}

function hasLongRun(source: string): boolean {
  return source.split(/\n[ \t]*\n/).some((run) => run.length > longestBlock);
}

function plainToken(source: string): Tokens.Code {
  return { type: 'code', raw: source, text: source };
}

function createRenderer(): Marked {
  const renderer = new Marked({ gfm: true, async: false });
  renderer.use(mathAsText(escapeHtml), {
    // A footnote is not a link definition, which would be removed from the text.
    tokenizer: {
      def: (source) => (/^ {0,3}\[\^/.test(source) ? undefined : false),
      blockquote: quote,
      tag: tagAsText,
      inlineText: longWordAsText,
    },
    renderer: {
      html: ({ text, block }) => (block ? `<p class="raw-html">${escapeHtml(text.trimEnd())}</p>\n` : escapeHtml(text)),
      code: ({ text, lang }) => codeMarkup(text, lang ?? ''),
      link({ href, title, tokens }) {
        // An image inside would be a link within a link; only the outer link leads somewhere.
        return linkMarkup(
          href,
          title ? `${href}\n${title}` : href,
          this.parser.parseInline(tokens).replace(/<\/?a\b[^>]*>/g, ''),
        );
      },
      checkbox: ({ checked }) =>
        `<input type="checkbox" disabled${checked ? ' checked' : ''} aria-label="${escapeHtml(checked ? t('done') : t('to do'))}"> `,
      // Nothing is loaded from elsewhere: an image becomes a link to it.
      image: ({ href, text }) =>
        safeLink(href) === null ? escapeHtml(text) : linkMarkup(href, href, escapeHtml(text === '' ? href : text)),
    },
  });
  return renderer;
}

/** After `<pre>`, `<code>`, `<kbd>` or `<script>` in a line, the parser treats the text up to the closing tag as raw
 *  HTML and passes it on unescaped. Here no text is ever raw. */
function tagAsText(this: Tokenizer, source: string): Tokens.Tag | undefined {
  const token = Tokenizer.prototype.tag.call(this, source);
  this.lexer.state.inRawBlock = false;
  return token;
}

/** Takes a word that is longer than any address but for its end. The parser looks at each character of a word before "@" for
 *  the beginning of a mail address and reads up to the "@" each time: a minute for a file in base64. */
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
