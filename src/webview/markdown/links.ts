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
