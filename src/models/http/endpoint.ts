/** An endpoint's address, parsed. */
export interface Endpoint {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly origin: string;
  /** As it is shown to the user: "openrouter.ai", "127.0.0.1:11434". */
  readonly destination: string;
  /** True when it is on this machine (of the extension host). It then needs no key, and may load a model for
   *  minutes. */
  readonly loopback: boolean;
}

/** Parses a base URL. Null when it is not an http(s) address or contains credentials, a query or a fragment. */
export function parseEndpoint(text: string): Endpoint | null {
  if (!URL.canParse(text.trim())) return null;
  const url = new URL(text.trim());
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '' || url.hostname === '')
    return null;
  return {
    baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    origin: url.origin,
    destination: url.host,
    loopback: isLoopback(url.hostname),
  };
}

/** True when a host name means this machine. Includes 0.0.0.0, which people copy from a server's own log. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    host === '0.0.0.0' ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}
