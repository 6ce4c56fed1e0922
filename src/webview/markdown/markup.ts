import { escapeHtml } from '../../protocol/markdownParser';
import { safeLink } from './links';

/** Returns HTML of code; `info` is the text after its opening fence. */
export function codeMarkup(text: string, info: string): string {
  const [word = ''] = info.split(/[\s:{,]/, 1);
  const language = /^[\w+#.-]+$/.test(word) ? word.toLowerCase() : '';
  return (
    `<pre data-language="${language}"${info === '' ? '' : ` data-info="${escapeHtml(info.slice(0, 1000))}"`} ` +
    `tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`
  );
}

/** Returns HTML of a link around `inner`, or only `inner` if the target is not allowed. No href, so that no click
 *  with any button can navigate the page. `openLink` handles the click. */
export function linkMarkup(href: string, title: string, inner: string): string {
  const target = safeLink(href);
  return target === null
    ? inner
    : `<a role="link" tabindex="0" data-href="${escapeHtml(target.href)}" title="${escapeHtml(title)}">${inner}</a>`;
}
