import { Lexer, Marked, Tokenizer, type Token, type Tokens, type TokensList } from 'marked';
import { t } from '../localization';
import { linkTarget } from './links';
import { codeMarkup, escapeHtml, linkMarkup } from './markup';
import { mathAsText } from './math';

/** Characters of one block above which it is shown as plain text. */
const longestBlock = 200_000;
// Quotes and lists nested this deep are an attack or an accident; the parser would recurse as deep.
const nestedTooDeep = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){40}/m;
// A list at the two hundredth column is a hundred lists deep.
const indentedTooDeep = /^[ \t]{200,}(?:[*+-]|\d{1,9}[.)])[ \t]/m;
const manyBrackets = /[[\]*_~`]{2000}/;

export interface LinkDefinitions {
  readonly [label: string]: Pick<Tokens.Link | Tokens.Image, 'href' | 'title'>;
}

export interface LexedBlocks {
  readonly tokens: readonly Token[];
  readonly links: LinkDefinitions;
}

const marked = createRenderer();

/** Splits Markdown into its top-level blocks; `known` are link definitions of text that came before. */
export function lexBlocks(source: string, known: LinkDefinitions = {}): LexedBlocks {
  if (isHostile(source)) return { tokens: [plainToken(source)], links: known };
  const lexer = new Lexer({ ...marked.defaults });
  Object.assign(lexer.tokens.links, known);
  const tokens: TokensList = lexer.lex(source);
  return { tokens, links: tokens.links };
}

/** HTML of one block. Raw HTML is shown as the text it is, and code is plain: it is coloured once it is seen (codeColours.ts). The result is
 *  still to be sanitised. */
export function renderBlock(token: Token): string {
  return marked.parser([token]);
}

// A single line or table may be a megabyte: parsed as Markdown it would stop the page for seconds.
function isHostile(source: string): boolean {
  return looksHostile(source) || (source.length > longestBlock && hasLongRun(source));
}

/** Whether lines of it would take the parser too deep, or make it try forever. */
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
    // A footnote is no definition of a link, which would take it out of the text.
    tokenizer: { def: (source) => (/^ {0,3}\[\^/.test(source) ? undefined : false), blockquote: quote, tag: tagAsText },
    renderer: {
      html: ({ text, block }) => (block ? `<p class="raw-html">${escapeHtml(text.trimEnd())}</p>\n` : escapeHtml(text)),
      code: ({ text, lang }) => codeMarkup(text, lang ?? ''),
      link({ href, title, tokens }) {
        // A picture in it would be a link in a link; this one leads on.
        return linkMarkup(
          href,
          title ? `${href}\n${title}` : href,
          this.parser.parseInline(tokens).replace(/<\/?a\b[^>]*>/g, ''),
        );
      },
      checkbox: ({ checked }) =>
        `<input type="checkbox" disabled${checked ? ' checked' : ''} aria-label="${escapeHtml(checked ? t('done') : t('to do'))}"> `,
      // Nothing is loaded from elsewhere: a picture is a link to it.
      image: ({ href, text }) =>
        linkTarget(href) === null ? escapeHtml(text) : linkMarkup(href, href, escapeHtml(text === '' ? href : text)),
    },
  });
  return renderer;
}

/** After `<pre>`, `<code>`, `<kbd>` or `<script>` in a line the parser takes the text that follows for raw HTML, and hands it on unescaped, up to
 *  the closing tag. Here no text is ever raw. */
function tagAsText(this: Tokenizer, source: string): Tokens.Tag | undefined {
  const token = Tokenizer.prototype.tag.call(this, source);
  this.lexer.state.inRawBlock = false;
  return token;
}

/** The parser's own fails on some quotes ("- a", then "  > 2. b", then "c"): such a one is a quote of what is written. */
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
