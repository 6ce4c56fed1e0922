import type { TransportFault } from '../transport';

/** Thrown out of `fetch` through the SDK, which passes it on unchanged: the answer is not a model's stream. */
export class AnswerFault extends Error {
  override readonly name = 'AnswerFault';
  constructor(readonly fault: TransportFault) {
    super(`the answer is not a stream: ${fault.kind}`);
  }
}

/** A `fetch` for one request that reports bytes as they arrive and refuses answers that are not an event stream.
 *  Does not follow redirects: they would send `x-api-key` to another origin. */
export function observedFetch(fetch: typeof globalThis.fetch, active: () => void): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, headers: withoutEmptyKey(init?.headers), redirect: 'manual' });
    active();
    if (!response.ok) return response;
    const contentType = response.headers.get('content-type') ?? '';
    if (/html|\/json/.test(contentType)) throw new AnswerFault(documentFault(contentType, await response.text()));
    if (response.body === null) throw new AnswerFault({ kind: 'empty' });
    return new Response(observe(response.body, active), { status: response.status, headers: response.headers });
  };
}

/** Removes an empty key header, for an endpoint without a key. */
function withoutEmptyKey(headers: RequestInit['headers']): Headers {
  const copy = new Headers(headers);
  if (copy.get('x-api-key') === '') copy.delete('x-api-key');
  return copy;
}

function documentFault(contentType: string, body: string): TransportFault {
  const error = errorIn(body);
  return error === null ? { kind: 'notAnApi', contentType, excerpt: body } : { kind: 'inStream', ...error };
}

function errorIn(
  body: string,
): { readonly message: string; readonly code: string | null; readonly status: number | null } | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && 'error' in parsed ? errorDetails(parsed.error) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
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

/** Passes bytes through without its own queue: a web stream loses its queue when its source breaks. */
function observe(body: ReadableStream<Uint8Array>, active: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        active();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
