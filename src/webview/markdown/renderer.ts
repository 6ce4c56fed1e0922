import { Lexer, Marked, type Token, type Tokens, type TokensList } from 'marked';
import { t } from '../localization';
import { highlight } from './highlighting';
import { linkTarget } from './links';

/** Characters of one block above which it is shown as plain text. */
const longestBlock = 200_000;
// Quotes and lists nested this deep are an attack or an accident; the parser would recurse as deep.
const nestedTooDeep = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){40}/m;
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
  const lexer = new Lexer({ gfm: true });
  Object.assign(lexer.tokens.links, known);
  const tokens: TokensList = lexer.lex(source);
  return { tokens, links: tokens.links };
}

/** HTML of one block. `closed` says that nothing will be added to it: only then is code highlighted. Raw HTML is shown as the text it is;
 *  the result is still to be sanitised. */
export function renderBlock(token: Token, closed: boolean): string {
  return (closed ? closedBlocks : openBlocks).parser([token]);
}

// A single line or table may be a megabyte: parsed as Markdown it would stop the page for seconds.
function isHostile(source: string): boolean {
  return nestedTooDeep.test(source) || manyBrackets.test(source) || (source.length > longestBlock && hasLongRun(source));
}

function hasLongRun(source: string): boolean {
  return source.split(/\n[ \t]*\n/).some((run) => run.length > longestBlock);
}

function plainToken(source: string): Tokens.Code {
  return { type: 'code', raw: source, text: source };
}

function createRenderer(closed: boolean): Marked {
  const marked = new Marked({ gfm: true, async: false });
  marked.use({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      code: ({ text, lang }) => codeBlock(text, lang ?? '', closed),
      link({ href, title, tokens }) {
        const target = linkTarget(href);
        const inner = this.parser.parseInline(tokens);
        return target === null ? inner : anchor(target.href, title ?? target.href, inner);
      },
      checkbox: ({ checked }) => `<input type="checkbox" disabled${checked ? ' checked' : ''} aria-label="${escapeHtml(checked ? t('done') : t('to do'))}"> `,
      // Nothing is loaded from elsewhere: a picture is a link to it.
      image({ href, text }) {
        const target = linkTarget(href);
        return target === null ? escapeHtml(text) : anchor(target.href, target.href, escapeHtml(text === '' ? href : text));
      },
    },
  });
  return marked;
}

const openBlocks = createRenderer(false);
const closedBlocks = createRenderer(true);

function codeBlock(text: string, info: string, closed: boolean): string {
  const language = /^[\w+#.-]+/.exec(info)?.[0]?.toLowerCase() ?? '';
  const highlighted = closed && language !== '' ? highlight(text, language) : null;
  return `<pre data-language="${escapeHtml(language)}" tabindex="0"><code>${highlighted ?? escapeHtml(text)}</code></pre>\n`;
}

// No href: the page itself can go nowhere, whatever is clicked and with which button. The click is answered by `openLink`.
function anchor(href: string, title: string, inner: string): string {
  return `<a role="link" tabindex="0" data-href="${escapeHtml(href)}" title="${escapeHtml(title)}">${inner}</a>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
