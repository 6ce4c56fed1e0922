import type { LookupAddress } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import type { AddressClass } from '../approval/addressClass';

/** Dependencies of a request on the machine. All are parameters, so that a test can provide its own network. */
export interface WebRequestDeps {
  /** All addresses of a name. */
  readonly resolve: (host: string) => Promise<readonly LookupAddress[]>;
  /** Class of a host in a URL, or of an address that it resolves to. */
  readonly addressClass: (host: string) => AddressClass;
  /** Milliseconds for the whole request, including redirects. */
  readonly timeoutMs: number;
  /** Largest body after unpacking, in bytes; the rest is not read. */
  readonly maxBytes: number;
}

export type WebAnswer =
  | {
      readonly kind: 'page';
      readonly url: string;
      readonly status: number;
      readonly statusText: string;
      readonly contentType: string;
      readonly bytes: Uint8Array;
      readonly isCut: boolean;
    }
  /** Redirect to another origin, which needs its own approval. */
  | { readonly kind: 'redirect'; readonly url: string; readonly status: number; readonly to: string };

/** Reason why a page was not read, as a sentence for the model. */
class WebRefused extends Error {
  override readonly name = 'WebRefused';
}

const maxRedirects = 5;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** Fetches one address without cookies, referrer, or credentials. Follows redirects within the origin. Resolves each
 *  name once per request, checks the addresses, and connects only to them, so that the name cannot resolve
 *  differently in between. */
export async function webRequest(start: URL, deps: WebRequestDeps, signal: AbortSignal): Promise<WebAnswer> {
  const timeout = AbortSignal.timeout(deps.timeoutMs);
  const both = AbortSignal.any([signal, timeout]);
  try {
    return await followed(start, deps, both);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (timeout.aborted)
      throw new WebRefused(`${start.host} took longer than ${deps.timeoutMs / 1000} seconds. Nothing was read.`);
    throw error instanceof WebRefused
      ? error
      : new WebRefused(`${start.href} could not be fetched: ${reasonOf(error)}.`);
  }
}

async function followed(start: URL, deps: WebRequestDeps, signal: AbortSignal): Promise<WebAnswer> {
  const seen = new Set<string>();
  for (let url = start; ;) {
    if (seen.has(url.href)) throw new WebRefused(`${start.href} redirects in a circle.`);
    if (seen.size > maxRedirects) throw new WebRefused(`${start.href} redirects more than ${maxRedirects} times.`);
    seen.add(url.href);
    const response = await opened(url, await addressesOf(url, deps, signal), signal);
    const status = response.statusCode ?? 0;
    const target = redirects.includes(status) ? response.headers.location : undefined;
    if (target === undefined) return await pageOf(url, response, deps.maxBytes);
    response.destroy();
    const next = redirectTarget(target, url);
    if (next.origin !== url.origin) return { kind: 'redirect', url: url.href, status, to: next.href };
    url = next;
  }
}

function redirectTarget(location: string, from: URL): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
  if (next === null || !/^https?:$/.test(next.protocol))
    throw new WebRefused(`${from.href} redirects to something that is no web address.`);
  next.username = '';
  next.password = '';
  next.hash = '';
  return next;
}

/** The user was asked about addresses that are local by their text (a literal address, localhost, a name of the
 *  local network). Any other name must resolve to the public internet. */
async function addressesOf(url: URL, deps: WebRequestDeps, signal: AbortSignal): Promise<readonly LookupAddress[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const addresses = await unlessAborted(deps.resolve(host), signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new WebRefused(`The name ${host} could not be resolved: ${reasonOf(error)}.`);
  });
  if (addresses.length === 0) throw new WebRefused(`The name ${host} has no address.`);
  const stray =
    deps.addressClass(host) === 'local'
      ? undefined
      : addresses.find(({ address }) => deps.addressClass(address) === 'local');
  if (stray === undefined) return addresses;
  throw new WebRefused(
    `${host} leads to ${stray.address}, which is not on the public internet. It was not fetched. A local server ` +
      'can be asked for by its own address, which the person is asked about.',
  );
}

function opened(url: URL, addresses: readonly LookupAddress[], signal: AbortSignal): Promise<http.IncomingMessage> {
  const pinned: LookupFunction = (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
    else callback(new Error('no address'), '', 0);
  };
  const headers = {
    'user-agent': 'Hermes (VS Code)',
    accept:
      'text/html, text/plain, text/markdown, application/json, application/xhtml+xml, application/xml;q=0.9, */*;q=0.1',
    'accept-encoding': 'gzip, deflate, br',
  };
  return new Promise((resolve, reject) => {
    const client = url.protocol === 'https:' ? https : http;
    const request = client.request(url, {
      method: 'GET',
      headers,
      lookup: pinned,
      signal,
      agent: new client.Agent({ keepAlive: false }),
      maxHeaderSize: 64 * 1024,
    });
    request.once('response', resolve);
    request.on('error', reject);
    request.end();
  });
}

async function pageOf(url: URL, response: http.IncomingMessage, maxBytes: number): Promise<WebAnswer> {
  const { bytes, isCut } = await bodyOf(response, maxBytes).finally(() => response.destroy());
  return {
    kind: 'page',
    url: url.href,
    bytes,
    isCut,
    status: response.statusCode ?? 0,
    statusText: (response.statusMessage ?? '').trim(),
    contentType: response.headers['content-type'] ?? '',
  };
}

/** Reads up to the limit: never holds an endless body, nor one that unpacks to gigabytes. */
async function bodyOf(
  response: http.IncomingMessage,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of unpacked(response)) {
    const bytes: Uint8Array = chunk;
    chunks.push(bytes.subarray(0, maxBytes - size));
    size += bytes.length;
    if (size > maxBytes) return { bytes: Buffer.concat(chunks), isCut: true };
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

function unpacked(response: http.IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  const unpacker = unpackerFor(encoding);
  if (unpacker === null) return response;
  // Its errors surface where the unpacked text is read.
  pipeline(response, unpacker, () => undefined);
  return unpacker;
}

function unpackerFor(encoding: string): (Readable & NodeJS.WritableStream) | null {
  switch (encoding) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return zlib.createUnzip();
    case 'br':
      return zlib.createBrotliDecompress();
    default:
      throw new WebRefused(`The server packed the page in a way that is not understood (${encoding}).`);
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.message.replace(/\.$/, '');
}
