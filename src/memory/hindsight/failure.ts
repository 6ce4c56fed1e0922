/** Why a request to Hindsight came to nothing. refused: the server said what is wrong with the request (400, 413, 422) · conflict: 409 · busy:
 *  429 or 503 · notHindsight: something else answers at this address · stopped: we gave up ourselves. */
export type HindsightCause =
  'network' | 'timeout' | 'stopped' | 'auth' | 'notFound' | 'conflict' | 'refused' | 'busy' | 'server' | 'notHindsight';

export interface HindsightFailure {
  readonly cause: HindsightCause;
  readonly status: number | null;
  /** The server's or the system's own words, without keys, at most a few hundred characters. */
  readonly detail: string;
  /** The server may have acted on the request all the same. */
  readonly uncertain: boolean;
  /** What the server asked for (Retry-After). */
  readonly retryAfterMs: number | null;
}

export type Answer<T> =
  { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'failed'; readonly failure: HindsightFailure };

/** What a person can act on. */
export function failureSentence({ cause, status, detail }: HindsightFailure, host: string): string {
  const said = detail === '' ? '' : `: ${detail}`;
  switch (cause) {
    case 'network':
      return `Hindsight at ${host} cannot be reached${said}. New memories are kept here and sent when it is available.`;
    case 'timeout':
      return `Hindsight at ${host} did not answer in time. New memories are kept here and sent later.`;
    case 'stopped':
      return `The request to Hindsight at ${host} was stopped.`;
    case 'auth':
      return `Hindsight at ${host} refused the key (${status ?? 401}). Nothing is sent until you fix it. Run Set Up Memory….`;
    case 'notFound':
      return `Hindsight at ${host} couldn’t find the requested item (404)${said}.`;
    case 'conflict':
      return `Hindsight at ${host} reported a conflict (409)${said}. It is tried again.`;
    case 'refused':
      return `Hindsight at ${host} rejected a request (${status ?? 400})${said}. The data is kept here. See the log for details.`;
    case 'busy':
      return `Hindsight at ${host} is busy (${status ?? 503}). New memories are kept here and sent later.`;
    case 'server':
      return `Hindsight at ${host} failed (${status ?? 500})${said}. It is tried again.`;
    case 'notHindsight':
      return `The server at ${host} isn’t Hindsight${said}. Check the address.`;
  }
}

/** Failures that no waiting mends: the person has to do something. What is not Hindsight may be the sign-in page of a network, and pass. */
export function needsPerson({ cause }: HindsightFailure): boolean {
  return cause === 'auth';
}
