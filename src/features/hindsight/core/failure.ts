import { t } from '../../../base/translate';
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

/** Defaults: no status, no detail, certain that the request was not carried out, no time to wait. */
export function failed(
  cause: HindsightCause,
  rest: Partial<HindsightFailure> = {},
): Extract<HindsightAnswer<never>, { readonly kind: 'failed' }> {
  return {
    kind: 'failed',
    failure: { status: null, detail: '', uncertain: false, retryAfterMs: null, ...rest, cause },
  };
}

/** Returns a sentence that the user can act on. */
export function failureSentence({ cause, status, detail }: HindsightFailure, host: string): string {
  const given = detail === '' ? '' : t(': {reason}', { reason: detail });
  switch (cause) {
    case 'network':
      return t(
        'Hindsight at {host} cannot be reached{detail}. New memories are kept here and sent when it is available.',
        { host, detail: given },
      );
    case 'timeout':
      return t('Hindsight at {host} did not answer in time. New memories are kept here and sent later.', { host });
    case 'stopped':
      return t('The request to Hindsight at {host} was stopped.', { host });
    case 'auth':
      return t(
        'Hindsight at {host} refused the key ({status}). Nothing is sent until you fix it. Run Set Up Memory….',
        { host, status: status ?? 401 },
      );
    case 'notFound':
      return t('Hindsight at {host} couldn’t find the requested item (404){detail}.', { host, detail: given });
    case 'conflict':
      return t('Hindsight at {host} reported a conflict (409){detail}. It is tried again.', { host, detail: given });
    case 'refused':
      return t(
        'Hindsight at {host} rejected a request ({status}){detail}. The data is kept here. See the log for details.',
        { host, status: status ?? 400, detail: given },
      );
    case 'busy':
      return t('Hindsight at {host} is busy ({status}). New memories are kept here and sent later.', {
        host,
        status: status ?? 503,
      });
    case 'server':
      return t('Hindsight at {host} failed ({status}){detail}. It is tried again.', {
        host,
        status: status ?? 500,
        detail: given,
      });
    case 'notHindsight':
      return t('The server at {host} isn’t Hindsight{detail}. Check the address.', { host, detail: given });
  }
}

/** True when waiting cannot help and the user must act. `notHindsight` does not count: it may be a network's sign-in
 *  page, which goes away. */
export function needsPerson({ cause }: HindsightFailure): boolean {
  return cause === 'auth';
}
