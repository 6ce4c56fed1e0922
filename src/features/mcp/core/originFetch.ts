import { t } from '../../../base/translate';
const mostRedirects = 5;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** Follows redirects only within the origin. A request's data (a key in a header, the arguments of a call) is for
 *  the server that the user trusted. Plain `fetch` sends all headers except `Authorization` and cookies to any
 *  redirect target. Accepts only addresses: the body of a `Request` cannot be sent twice. */
export function stayingAtOrigin(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (address, init) => {
    if (address instanceof Request) throw new TypeError('Give an address and what is sent to it.');
    let at = new URL(address);
    let sent: RequestInit = { ...init, redirect: 'manual' };
    for (let count = 0; count <= mostRedirects; count++) {
      const response = await fetch(at, sent);
      const location = redirects.includes(response.status) ? response.headers.get('location') : null;
      if (location === null) return response;
      await response.body?.cancel();
      const next = URL.canParse(location, at.href) ? new URL(location, at.href) : null;
      if (next?.origin !== at.origin)
        throw new Error(
          next === null || next === undefined
            ? t('The server at {address} leads to something that is no address. Nothing was sent there.', {
                address: at.origin,
              })
            : t(
                'The server at {address} leads to {other}. Nothing was sent there: write that address into the definition if it is the right one.',
                { address: at.origin, other: next.origin },
              ),
        );
      if (response.status === 303 || (response.status < 303 && sent.method === 'POST'))
        sent = { ...sent, method: 'GET', body: null };
      at = next;
    }
    throw new Error(
      t('The server at {address} redirects more than {count} times.', { address: at.origin, count: mostRedirects }),
    );
  };
}
