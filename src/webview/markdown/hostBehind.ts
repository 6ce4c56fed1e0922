const address = /^\s*(?:https?:\/\/)?(?:www\.)?((?:[\p{L}\p{N}_-]+\.)+\p{L}{2,})(?::\d+)?(?:[/?#]|\s*$)/iu;

/** Returns the real host of a web link when its text is misleading: it looks like another address, the address
 *  contains a name and a password, or the host uses look-alike letters. Else null. */
export function hostBehind(href: string, text: string): string | null {
  if (!/^https?:/i.test(href) || !URL.canParse(href)) return null;
  const { host, hostname, username, password } = new URL(href);
  if (username !== '' || password !== '' || /(?:^|\.)xn--/.test(hostname)) return host;
  const shown = address.exec(text)?.[1]?.toLowerCase();
  return shown === undefined || shown === hostname.replace(/^www\./, '') ? null : host;
}
