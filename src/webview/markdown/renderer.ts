import { Lexer, type Marked, type Token, type Tokens, type TokensList, type MarkedExtension } from 'marked';
import { escapeHtml, longestBlock, looksHostile, markdownParser } from '../../transcript/text/markdownParser';
import { t } from '../localization';
import { safeLink, codeMarkup, linkMarkup } from './links';
import { mathAsText } from './math';

/** Shows the mark of a footnote raised, in the text (`[^1]`) and before the note (`[^1]: …`), which begins a line. */
function footnotes(escape: (text: string) => string): MarkedExtension {
  return {
    extensions: [
      {
        name: 'footnote',
        level: 'inline',
        start: (source) => source.indexOf('[^'),
        tokenizer(source, tokens): Tokens.Generic | undefined {
          const [raw, mark] = /^\[\^([^\]\s]{1,40})\]/.exec(source) ?? [];
          if (raw === undefined || mark === undefined || this.lexer.state.inLink) return undefined;
          const isNote = source.startsWith(':', raw.length) && tokens.at(-1)?.raw.endsWith('\n') === true;
          return { type: 'footnote', raw, mark, isNote };
        },
        renderer: ({ mark, isNote }) =>
          `${isNote === true ? '<br>' : ''}<span class="footnote">${escape(String(mark))}</span>`,
      },
    ],
  };
}

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

function hasLongRun(source: string): boolean {
  return source.split(/\n[ \t]*\n/).some((run) => run.length > longestBlock);
}

function plainToken(source: string): Tokens.Code {
  return { type: 'code', raw: source, text: source };
}

function createRenderer(): Marked {
  return markdownParser().use(mathAsText(escapeHtml), footnotes(escapeHtml), {
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
}
