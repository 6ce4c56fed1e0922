import type { TransportFault, TransportReceiver } from '../transport';
import { type EventReader, readEvents } from './eventStream';

/** Thrown out of `fetch` through the SDK, which passes it on unchanged: the answer is not a model's stream. */
export class AnswerFault extends Error {
  override readonly name = 'AnswerFault';
  constructor(readonly fault: TransportFault) {
    super(`the answer is not a stream: ${fault.kind}`);
  }
}

/** A `fetch` for one request whose answer is read by our own tolerant reader. Does not follow redirects: they would
 *  send `x-api-key` to another origin. */
export function observedFetch(
  fetch: typeof globalThis.fetch,
  reader: EventReader,
  receiver: TransportReceiver,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, headers: withoutEmptyKey(init?.headers), redirect: 'manual' });
    receiver.active();
    if (!response.ok) return response;
    const contentType = response.headers.get('content-type') ?? '';
    if (/html/.test(contentType))
      throw new AnswerFault({ kind: 'notAnApi', contentType, excerpt: await response.text() });
    if (response.body === null) throw new AnswerFault({ kind: 'empty' });
    return readEvents(response, reader, receiver);
  };
}

/** Removes an empty key header, for an endpoint without a key. */
function withoutEmptyKey(headers: RequestInit['headers']): Headers {
  const copy = new Headers(headers);
  if (copy.get('x-api-key') === '') copy.delete('x-api-key');
  return copy;
}

/** Returns message, code and status of an error object in a service's answer. */
export function errorDetails(error: unknown): {
  readonly message: string;
  readonly code: string | null;
  readonly status: number | null;
} {
  if (typeof error === 'string') return { message: error, code: null, status: null };
  if (typeof error !== 'object' || error === null) return { message: String(error), code: null, status: null };
  const message = 'message' in error && typeof error.message === 'string' ? error.message : JSON.stringify(error);
  const code = 'code' in error ? error.code : null;
  const type = 'type' in error && typeof error.type === 'string' ? error.type : null;
  return {
    message,
    code: typeof code === 'string' ? code : type,
    status: typeof code === 'number' ? code : null,
  };
}
