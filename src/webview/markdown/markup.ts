import { linkTarget } from './links';

/** HTML of code; `info` is what stands behind its fence. */
export function codeMarkup(text: string, info: string): string {
  const [word = ''] = info.split(/[\s:{,]/, 1);
  const language = /^[\w+#.-]+$/.test(word) ? word.toLowerCase() : '';
  return `<pre data-language="${language}"${info === '' ? '' : ` data-info="${escapeHtml(info.slice(0, 1000))}"`} tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
}

/** HTML of a link around `inner`; that alone where it may lead nowhere. No href: the page itself can go nowhere, whatever is clicked and with which
 *  button. The click is answered by `openLink`. */
export function linkMarkup(href: string, title: string, inner: string): string {
  const target = linkTarget(href);
  return target === null
    ? inner
    : `<a role="link" tabindex="0" data-href="${escapeHtml(target.href)}" title="${escapeHtml(title)}">${inner}</a>`;
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
