import { showInvisible } from '../../protocol/invisibleCharacters';
import { addCodeToolbar } from './codeToolbar';
import type { MarkdownActions } from './markdownActions';

/** Adds tools to a closed block. Its text stays exactly as it is; CSS renders the icons. */
export function addBlockTools(block: Element, actions: MarkdownActions): void {
  for (const pre of block.querySelectorAll<HTMLPreElement>('.code-block > pre')) addCodeToolbar(pre, actions);
  for (const link of block.querySelectorAll<HTMLElement>('a[data-href]')) showTarget(link);
  for (const code of block.querySelectorAll<HTMLElement>(':not(pre) > code')) showInvisibleIn(code);
}

/** Shows the real target of a link: in its title with hidden characters written out, and after it if its text looks
 *  like another address. */
function showTarget(link: HTMLElement): void {
  const host = disguisedHost(link.dataset['href'] ?? '', link.textContent ?? '');
  if (host !== null) link.dataset['host'] = host;
  link.title = showInvisible(link.title);
}

function showInvisibleIn(code: HTMLElement): void {
  const text = code.textContent ?? '';
  const plain = showInvisible(text);
  if (plain !== text) code.title = plain;
}

const address = /^\s*(?:https?:\/\/)?(?:www\.)?((?:[\p{L}\p{N}_-]+\.)+\p{L}{2,})(?::\d+)?(?:[/?#]|\s*$)/iu;

/** Returns the real host of a web link when its text is misleading: it looks like another address, the address
 *  contains a name and a password, or the host uses look-alike letters. Else null. */
export function disguisedHost(href: string, text: string): string | null {
  if (!/^https?:/i.test(href) || !URL.canParse(href)) return null;
  const { host, hostname, username, password } = new URL(href);
  if (username !== '' || password !== '' || /(?:^|\.)xn--/.test(hostname)) return host;
  const shown = address.exec(text)?.[1]?.toLowerCase();
  return shown === undefined || shown === hostname.replace(/^www\./, '') ? null : host;
}
