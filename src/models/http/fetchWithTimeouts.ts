import { request as httpRequest, type IncomingMessage } from 'node:http';
import { isLoopback } from './endpoint';

/** A `fetch` that sets no time limit for servers on this machine. The built-in one gives up 300 s after the request
 *  if no header has arrived, and a large model may take longer to load from disk. Plain HTTP to a loopback address
 *  uses node:http, which has no such limit. Everything else uses the given `fetch`. The node:http path never follows
 *  redirects. */
export function fetchWithTimeouts(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const url = input instanceof Request ? null : new URL(input);
    const body = init?.body ?? null;
    if (
      url === null ||
      url.protocol !== 'http:' ||
      !isLoopback(url.hostname) ||
      (body !== null && typeof body !== 'string')
    )
      return fetch(input, init);
    return fetchLocal(url, init ?? {}, body);
  };
}

function fetchLocal(url: URL, init: RequestInit, body: string | null): Promise<Response> {
  const signal = init.signal ?? null;
  return new Promise((resolve, fail) => {
    signal?.throwIfAborted();
    const request = httpRequest(url, {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      // One connection per request: an idle one that the server has closed meanwhile would fail the next request.
      agent: false,
    });
    const onAbort = (): void => {
      request.destroy(
        signal?.reason instanceof Error ? signal.reason : new DOMException('This operation was aborted', 'AbortError'),
      );
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', onAbort));
    request.once('error', (error) =>
      fail(signal?.aborted === true ? signal.reason : new TypeError('fetch failed', { cause: error })),
    );
    request.once('response', (message) => {
      const headers = new Headers(
        Object.entries(message.headersDistinct).flatMap(([name, values]) =>
          (values ?? []).map((value): [string, string] => [name, value]),
        ),
      );
      const status = message.statusCode ?? 0;
      const bodiless = status === 204 || status === 205 || status === 304;
      if (bodiless) message.resume();
      if (status < 200 || status > 599)
        fail(new TypeError('fetch failed', { cause: new Error(`invalid status ${status}`) }));
      else resolve(new Response(bodiless ? null : bodyOf(message), { status, headers }));
    });
    request.end(body ?? undefined);
  });
}

/** Reads the bytes of an answer from the socket as they arrive, into our own queue. A broken connection is then
 *  reported only after everything that arrived before it. */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const queue: Uint8Array[] = [];
  let end: { readonly error: Error | null } | null = null;
  let wake: () => void = () => undefined;
  const finish = (error: Error | null): void => {
    end ??= { error };
    wake();
  };
  message.on('data', (bytes: Uint8Array) => {
    queue.push(bytes);
    wake();
  });
  message.once('end', () => finish(null));
  message.once('error', finish);
  message.once('close', () => finish(message.complete ? null : new Error('the connection was closed')));
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (queue.length === 0 && end === null) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const next = queue.shift();
        if (next !== undefined) controller.enqueue(next);
        else if (end?.error) controller.error(new TypeError('terminated', { cause: end.error }));
        else controller.close();
      },
      cancel() {
        message.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
