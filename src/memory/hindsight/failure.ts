/** Cause of a failed request to Hindsight. refused: the server named a problem in the request (400, 413, 422) ·
 *  conflict: 409 · busy: 429 or 503 · notHindsight: another program answers at this address · stopped: we stopped
 *  waiting. */
export type HindsightCause =
  'network' | 'timeout' | 'stopped' | 'auth' | 'notFound' | 'conflict' | 'refused' | 'busy' | 'server' | 'notHindsight';

export interface HindsightFailure {
  readonly cause: HindsightCause;
  readonly status: number | null;
  /** The server's or the system's own message, without keys, at most a few hundred characters. */
  readonly detail: string;
  /** True when the server may have carried out the request anyway. */
  readonly uncertain: boolean;
  /** Milliseconds that the server asked to wait (Retry-After). Null when it did not. */
  readonly retryAfterMs: number | null;
}

export type HindsightAnswer<T> =
  { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'failed'; readonly failure: HindsightFailure };

/** Returns a sentence that the user can act on. */
export function failureSentence({ cause, status, detail }: HindsightFailure, host: string): string {
  const given = detail === '' ? '' : `: ${detail}`;
  switch (cause) {
    case 'network':
      return `Hindsight at ${host} cannot be reached${given}. New memories are kept here and sent when it is available.`;
    case 'timeout':
      return `Hindsight at ${host} did not answer in time. New memories are kept here and sent later.`;
    case 'stopped':
      return `The request to Hindsight at ${host} was stopped.`;
    case 'auth':
      return `Hindsight at ${host} refused the key (${status ?? 401}). Nothing is sent until you fix it. Run Set Up Memory….`;
    case 'notFound':
      return `Hindsight at ${host} couldn’t find the requested item (404)${given}.`;
    case 'conflict':
      return `Hindsight at ${host} reported a conflict (409)${given}. It is tried again.`;
    case 'refused':
      return `Hindsight at ${host} rejected a request (${status ?? 400})${given}. The data is kept here. See the log for details.`;
    case 'busy':
      return `Hindsight at ${host} is busy (${status ?? 503}). New memories are kept here and sent later.`;
    case 'server':
      return `Hindsight at ${host} failed (${status ?? 500})${given}. It is tried again.`;
    case 'notHindsight':
      return `The server at ${host} isn’t Hindsight${given}. Check the address.`;
  }
}

/** True when waiting cannot help and the user must act. `notHindsight` does not count: it may be a network's sign-in
 *  page, which goes away. */
export function needsPerson({ cause }: HindsightFailure): boolean {
  return cause === 'auth';
}
