const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const longest = 4000;

/** The address of a page that a server may have opened, normalized: this one is stored, shown and opened. Its host is
 *  in ASCII, so that look-alike letters of other scripts show. Null for what is no `https:` page (`http:` only on this
 *  machine), is too long, or has a user before its host ("https://github.com@evil.example"). */
export function webPage(address: string): URL | null {
  if (address.length > longest || !URL.canParse(address)) return null;
  const page = new URL(address);
  const isWeb = page.protocol === 'https:' || (page.protocol === 'http:' && loopback.test(page.hostname));
  // A browser takes a backslash for a slash, other readers of addresses do not.
  return isWeb && page.username === '' && page.password === '' && !address.includes('\\') ? page : null;
}
