import * as v from 'valibot';
import { parsedJson } from '../../transcript/json';
import type { Clock } from '../../base/clock';
import { networkFault } from './networkFault';
import type { TransportFault } from '../transport';

interface JsonRequest<T> {
  readonly url: string;
  readonly schema: v.GenericSchema<unknown, T>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as POST when present. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type JsonAnswer<T> =
  { readonly kind: 'value'; readonly value: T } | { readonly kind: 'failed'; readonly fault: TransportFault };

/** Requests a small JSON document from an endpoint. Never throws. Does not follow redirects, to protect the key. */
export async function requestJson<T>(
  fetch: typeof globalThis.fetch,
  clock: Clock,
  request: JsonRequest<T>,
): Promise<JsonAnswer<T>> {
  const late = new AbortController();
  const cancelTimer = clock.after(request.timeoutMs, () => late.abort());
  try {
    const response = await fetch(request.url, {
      method: request.body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      redirect: 'manual',
      signal: AbortSignal.any([request.signal, late.signal]),
    });
    const text = await response.text();
    if (!response.ok)
      return {
        kind: 'failed',
        fault: { kind: 'http', status: response.status, headers: Object.fromEntries(response.headers), body: text },
      };
    return parse(text, response.headers.get('content-type') ?? '', request.schema);
  } catch (error) {
    if (late.signal.aborted && !request.signal.aborted)
      return { kind: 'failed', fault: { kind: 'timeout', of: 'firstByte', ms: request.timeoutMs } };
    return { kind: 'failed', fault: networkFault(error) };
  } finally {
    cancelTimer();
  }
}

function parse<T>(text: string, contentType: string, schema: v.GenericSchema<unknown, T>): JsonAnswer<T> {
  const notAnApi: JsonAnswer<T> = { kind: 'failed', fault: { kind: 'notAnApi', contentType, excerpt: text } };
  const json = parsedJson(text);
  if (json === undefined) return notAnApi;
  const parsed = v.safeParse(schema, json);
  return parsed.success ? { kind: 'value', value: parsed.output } : notAnApi;
}
