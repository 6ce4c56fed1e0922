import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import type { ReadablePage } from './pageText';

/** Shortest extracted article, in characters. A shorter one is probably just another part of the page. */
const shortestArticle = 200;
/** Elements without text for readers. */
const furniture =
  'title, script, style, noscript, template, iframe, object, embed, svg, canvas, link, meta, head, dialog, ' +
  'input, select, textarea, button';

/** Web page as a user would read it: its article if it has one, else all of its text. Scripts never run: the page is
 *  parsed, not rendered. May take very long, or throw, for a page with deep nesting. */
export function readablePage(html: string, url: string): ReadablePage {
  const title = tidied(documentOf(html).querySelector('title')?.textContent ?? '');
  const text = markdown(articleOf(html), url);
  if (text.length >= shortestArticle) return { title, text };
  const { body } = documentOf(html);
  body.querySelectorAll(furniture).forEach((element: { remove(): void }) => element.remove());
  const whole = markdown(body.innerHTML, url);
  return { title, text: whole === '' ? text : whole };
}

function articleOf(html: string): string {
  // Readability modifies the document, so give it a separate one.
  return new Readability(documentOf(html)).parse()?.content ?? '';
}

/** Adds the outer elements to fragments, because the parser does not. */
function documentOf(html: string): ReturnType<typeof parseHTML>['document'] {
  const whole = /<(?:html|body)[\s>]/i.test(html)
    ? html
    : `<!doctype html><html><head></head><body>${html}</body></html>`;
  return parseHTML(whole).document;
}

function markdown(html: string, url: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  service.addRule('links', {
    filter: (node) => node.nodeName === 'A',
    replacement: (content, node) => linkText(content, 'getAttribute' in node ? node.getAttribute('href') : null, url),
  });
  service.addRule('images', {
    filter: 'img',
    replacement: (_content, node) =>
      'getAttribute' in node && node.getAttribute('alt') ? `[image: ${tidied(node.getAttribute('alt') ?? '')}]` : '',
  });
  service.addRule('cells', { filter: ['th', 'td'], replacement: (content) => `| ${tidied(content)} ` });
  service.addRule('rows', { filter: 'tr', replacement: (content) => `${content.replaceAll('\n', ' ').trim()} |\n` });
  service.remove(['script', 'style', 'noscript', 'template', 'iframe']);
  const { document } = parseHTML(`<!doctype html><html><head></head><body><div id="page">${html}</div></body></html>`);
  return service
    .turndown(document.body)
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function linkText(content: string, href: string | null, base: string): string {
  const text = content.trim();
  if (text === '' || href === null || href.startsWith('#') || !URL.canParse(href, base)) return text;
  const target = new URL(href, base);
  return /^https?:$/.test(target.protocol) ? `[${text}](${target.href})` : text;
}

function tidied(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
