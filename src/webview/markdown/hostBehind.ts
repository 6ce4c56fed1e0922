const address = /^\s*(?:https?:\/\/)?(?:www\.)?((?:[\p{L}\p{N}_-]+\.)+\p{L}{2,})(?::\d+)?(?:[/?#]|\s*$)/iu;

/** The host a web link leads to, where its text does not say so: it reads like an address elsewhere, the address holds a name and a password, or the
 *  host is written in letters that look like others. Null where there is nothing to be said. */
export function hostBehind(href: string, text: string): string | null {
  if (!/^https?:/i.test(href) || !URL.canParse(href)) return null;
  const { host, hostname, username, password } = new URL(href);
  if (username !== '' || password !== '' || /(?:^|\.)xn--/.test(hostname)) return host;
  const shown = address.exec(text)?.[1]?.toLowerCase();
  return shown === undefined || shown === hostname.replace(/^www\./, '') ? null : host;
}
