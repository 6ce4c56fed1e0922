import type { Tokens } from 'marked';
import { t } from '../../../../../base/translate';
import { isContinuation } from '../../../../../transcript/continuation';
import type { Message } from '../../../../../transcript/message';
import type { ImagePart, Part, ToolResultPart } from '../../../../../transcript/part';
import { escapeHtml, longestBlock, looksHostile, markdownParser } from '../../../../../transcript/text/markdownParser';
import { hiddenText, outcomeText } from '../../../../../transcript/readable/exportLabels';
import type { ExportedSession } from '../../../../../transcript/readable/transcriptExport';

const imageTypes = /^image\/(?:png|jpeg|gif|webp)$/;
const safeAddress = /^(?:https?:|mailto:)/i;

interface HtmlContext {
  readonly language: string;
}

const style = `
:root { color-scheme: light dark; --line: #8885; --soft: #8881; }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.55 system-ui, sans-serif; }
body { background: #fff; color: #1c1c1c; }
article + article { margin-top: 4rem; border-top: 2px solid var(--line); }
section { margin: 1.5rem 0; padding-left: 1rem; border-left: 3px solid var(--line); }
section.user { border-color: #2b6cb0; }
h2 { font-size: .85rem; font-weight: 600; opacity: .75; margin: 0 0 .5rem; }
pre { background: var(--soft); padding: .75rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: 4px; padding: .25rem .75rem; }
summary { cursor: pointer; }
img { max-width: 100%; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .25rem .5rem; }
@media (prefers-color-scheme: dark) { body { background: #1b1b1d; color: #e4e4e4; } a { color: #7db4ff; } }
@media print { body { max-width: none; margin: 0; } section { break-inside: auto; } }
@media print { h2 { break-after: avoid; } pre { break-inside: avoid; } }
`;

/** The beginning of a page that needs no other file, no network and no script. Its policy forbids all three. */
export function htmlHead(title: string, { language }: HtmlContext): string {
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
`;
}

export const htmlEnd = '</body>\n</html>\n';

/** Renders a conversation as an article. Every text is escaped; Markdown becomes only elements made here. */
export function htmlArticle({ session, messages }: ExportedSession, context: HtmlContext): string {
  const results = new Map(
    messages.flatMap(({ role, parts }) =>
      role === 'tool'
        ? parts.flatMap((part) => (part.kind === 'toolResult' ? [[part.callId, part] as const] : []))
        : [],
    ),
  );
  const calls = new Set(
    messages.flatMap(({ parts }) =>
      (parts as readonly Part[]).flatMap((part) => (part.kind === 'toolCall' ? [part.callId] : [])),
    ),
  );
  const sections = messages.flatMap((message) => section(message, { ...context, results, calls }));
  const title = escapeHtml(session.title ?? t('Untitled Session'));
  return `<article>\n<h1>${title}</h1>\n${sections.join('\n')}\n</article>\n`;
}

interface SectionContext extends HtmlContext {
  readonly results: ReadonlyMap<string, ToolResultPart>;
  readonly calls: ReadonlySet<string>;
}

function section(message: Message, context: SectionContext): readonly string[] {
  if (message.visibility.kind === 'closing') return [];
  const { language } = context;
  const body = (message.parts as readonly Part[]).map((part) => partHtml(part, context)).join('');
  if (body === '') return [];
  const isUser = message.role === 'user' && !isContinuation(message);
  const heading = [
    isUser ? t('You') : t('Hermes'),
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(message.createdAt * 1000),
    ...(message.visibility.kind === 'hidden' ? [hiddenText(message.visibility.reason, t)] : []),
  ].join(' · ');
  return [`<section class="${isUser ? 'user' : 'agent'}"><h2>${escapeHtml(heading)}</h2>\n${body}</section>`];
}

function partHtml(part: Part, { results, calls }: SectionContext): string {
  switch (part.kind) {
    case 'text':
      return markdownHtml(part.text);
    case 'thinking':
      return part.text.trim() === '' ? '' : folded(t('Thinking'), markdownHtml(part.text));
    case 'attachment':
      return folded(part.label, `<pre>${escapeHtml(part.text)}</pre>`);
    case 'image':
      return imageHtml(part);
    case 'toolCall': {
      const result = results.get(part.callId);
      const state = result === undefined ? t('no result') : outcomeText(result.outcome, t);
      const shown = `<pre>${escapeHtml(part.arguments)}</pre>${result === undefined ? '' : resultHtml(result)}`;
      return folded(t('Tool: {name}, {state}', { name: part.name, state }), shown);
    }
    case 'toolResult': {
      if (calls.has(part.callId)) return '';
      const state = outcomeText(part.outcome, t);
      return folded(t('Tool: {name}, {state}', { name: part.name, state }), resultHtml(part));
    }
    default:
      return part satisfies never;
  }
}

function resultHtml({ text, images = [] }: ToolResultPart): string {
  return `<pre>${escapeHtml(text)}</pre>${images.map(imageHtml).join('')}`;
}

function imageHtml({ mediaType, dataBase64, name }: ImagePart): string {
  const label = escapeHtml(t('Image: {name}', { name: name ?? mediaType }));
  return imageTypes.test(mediaType) && /^[A-Za-z0-9+/=]+$/.test(dataBase64)
    ? `<p><img alt="${label}" src="data:${mediaType};base64,${dataBase64}"></p>`
    : `<p>${label}</p>`;
}

function folded(summary: string, content: string): string {
  return `<details><summary>${escapeHtml(summary)}</summary>${content}</details>\n`;
}

/** HTML in the text is shown as text. A link keeps its address only if that is a web or mail address; an image of the
 *  network becomes a link, so that opening the page loads nothing. */
const parser = markdownParser().use({
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    link({ href, tokens }: Tokens.Link) {
      // An image inside would be a link within a link.
      return linkHtml(href, this.parser.parseInline(tokens).replace(/<\/?a\b[^>]*>/g, ''));
    },
    image: ({ href, text }: Tokens.Image) =>
      safeAddress.test(href) ? linkHtml(href, escapeHtml(text === '' ? href : text)) : escapeHtml(text),
  },
});

function linkHtml(href: string, inner: string): string {
  return safeAddress.test(href) ? `<a href="${escapeHtml(href)}" rel="noreferrer noopener">${inner}</a>` : inner;
}

function markdownHtml(text: string): string {
  if (text.length > longestBlock || looksHostile(text)) return `<pre>${escapeHtml(text)}</pre>`;
  return parser.parse(text, { async: false });
}
