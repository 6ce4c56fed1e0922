import { escapeHtml } from '../../transcript/text/markdownParser';

/** Allowed targets of a link in an answer; any other link renders as its text. The host opens the target, never the
 *  page. */
type SafeLink = { readonly kind: 'web'; readonly href: string } | { readonly kind: 'file'; readonly href: string };

const scheme = /^[a-z][a-z0-9+.-]*:/i;

// "upload.ts:10" and "upload.ts:10:4" look like a scheme but are a file with its line.
const fileWithLine = /^[^:/\\]+:\d+(?::\d+)?$/;

/** Validates the address of a link. Allows http, https and mailto; an address without a scheme is a path in the
 *  workspace. Null: must not be followed (`command:`, `javascript:`, `vscode:`, `data:`, network paths, in-page
 *  anchors …). */
export function safeLink(address: string): SafeLink | null {
  const href = withoutControls(address).trim();
  if (href === '' || href.startsWith('#') || /^[\\/]{2}/.test(href)) return null;
  if (!scheme.test(href) || fileWithLine.test(href)) return { kind: 'file', href };
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return null;
  return URL.canParse(href) ? { kind: 'web', href } : null;
}

// Browsers drop control characters inside a scheme ("java\tscript:"), and bidi controls make an address look like
// another one.
function withoutControls(address: string): string {
  return address.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '');
}

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
