import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { networkFault } from '../http/networkFault';
import type { TransportEnd, TransportReceiver } from '../transport';
import { Answer } from './answer';
import { type EventReader, readEvents } from './eventStream';

type Fetch = typeof globalThis.fetch;

export interface Exchange {
  /** Creates the SDK's model with a `fetch` of ours. */
  readonly model: (fetch: Fetch) => LanguageModelV4;
  readonly options: LanguageModelV4CallOptions;
  readonly fetch: Fetch;
  readonly reader: (answer: Answer) => EventReader;
}

/** Sends one request and reads its answer. The SDK only builds the request: its strict schema of answers would lose
 *  words to any unknown field. Does not follow redirects: they would send `x-api-key` to another origin. */
export async function exchange(
  { model, options, fetch, reader }: Exchange,
  receiver: TransportReceiver,
): Promise<TransportEnd> {
  const { url, init } = await builtRequest(model, options);
  const headers = new Headers(init?.headers);
  // An endpoint without a key.
  if (headers.get('x-api-key') === '') headers.delete('x-api-key');
  const nothing = new Answer(receiver, null);
  let response: Response;
  try {
    response = await fetch(url, { ...init, headers, redirect: 'manual' });
    receiver.active();
    if (!response.ok) {
      const { status, headers: received } = response;
      const body = await response.text();
      return nothing.broken({ kind: 'http', status, headers: Object.fromEntries(received), body });
    }
  } catch (error) {
    return nothing.broken(networkFault(error));
  }
  const answer = new Answer(receiver, requestIdIn(response.headers));
  const fault = await readEvents(response, answer, reader(answer), receiver);
  return fault === null ? answer.end() : answer.broken(fault);
}

function requestIdIn(headers: Headers): string | null {
  return headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('x-generation-id');
}

type Request = { readonly url: Parameters<Fetch>[0]; readonly init: RequestInit | undefined };

/** Thrown out of the SDK, which passes it on unchanged. */
class BuiltRequest extends Error {
  override readonly name = 'BuiltRequest';
  constructor(readonly request: Request) {
    super('the request is built');
  }
}

async function builtRequest(model: Exchange['model'], options: LanguageModelV4CallOptions): Promise<Request> {
  const capture: Fetch = (url, init) => Promise.reject(new BuiltRequest({ url, init }));
  try {
    await model(capture).doStream(options);
  } catch (error) {
    if (error instanceof BuiltRequest) return error.request;
    throw error;
  }
  throw new Error('the SDK built no request');
}
