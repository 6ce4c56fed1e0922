import { Lexer, Marked, type Token, type Tokens, type TokensList } from 'marked';
import { t } from '../localization';
import { linkTarget } from './links';
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
    tokenizer: { def: (source) => (/^ {0,3}\[\^/.test(source) ? undefined : false) },
    renderer: {
      html: ({ text, block }) => (block ? `<p class="raw-html">${escapeHtml(text.trimEnd())}</p>\n` : escapeHtml(text)),
      code: ({ text, lang }) => codeBlock(text, lang ?? ''),
      link({ href, title, tokens }) {
        const target = linkTarget(href);
        const inner = this.parser.parseInline(tokens);
        return target === null ? inner : anchor(target.href, title ? `${href}\n${title}` : href, inner);
      },
      checkbox: ({ checked }) => `<input type="checkbox" disabled${checked ? ' checked' : ''} aria-label="${escapeHtml(checked ? t('done') : t('to do'))}"> `,
      // Nothing is loaded from elsewhere: a picture is a link to it.
      image({ href, text }) {
        const target = linkTarget(href);
        return target === null ? escapeHtml(text) : anchor(target.href, href, escapeHtml(text === '' ? href : text));
      },
    },
  });
  return renderer;
}

const marked = createRenderer();

function codeBlock(text: string, info: string): string {
  const [word = ''] = info.split(/[\s:{,]/, 1);
  const language = /^[\w+#.-]+$/.test(word) ? word.toLowerCase() : '';
  return `<pre data-language="${language}"${info === '' ? '' : ` data-info="${escapeHtml(info.slice(0, 1000))}"`} tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
}

// No href: the page itself can go nowhere, whatever is clicked and with which button. The click is answered by `openLink`.
function anchor(href: string, title: string, inner: string): string {
  return `<a role="link" tabindex="0" data-href="${escapeHtml(href)}" title="${escapeHtml(title)}">${inner}</a>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
