import { t } from '../../base/translate';
import type { OpenReport } from '../worker/openedStore';
import { StoreError } from '../storeError';

/** State of a window's connection to the history of its folder. The store answers only in `open` and `readOnly`. */
export type StoreState =
  /** `blockedBy`: description of the process that holds the store and does not answer yet; null when there is none. */
  | { readonly kind: 'opening'; readonly blockedBy: string | null }
  /** `regained`: the reason for an automatic reopening (files of the store were deleted while it was open), or null. */
  | { readonly kind: 'open'; readonly report: OpenReport; readonly regained: StoreError | null }
  /** Everything can be read and nothing saved; the report states the reason. */
  | { readonly kind: 'readOnly'; readonly report: OpenReport; readonly error: StoreError }
  /** Another window owns the history and a turn is running there. `chosen`: the request of this window. */
  | {
      readonly kind: 'waitingForOwner';
      readonly sessionTitle: string | null;
      readonly chosen: 'nothing' | 'wait' | 'stop';
    }
  /** Another window took over; `reclaim` requests the history back. */
  | { readonly kind: 'continuedElsewhere' }
  | { readonly kind: 'failed'; readonly error: StoreError }
  | { readonly kind: 'closed' };

/** The error for a call in a state that cannot serve it, as text for the user. */
export function unavailable(state: StoreState): StoreError {
  switch (state.kind) {
    case 'opening':
      return notNow(t('Your sessions are still opening. Try again in a moment.'), state);
    case 'waitingForOwner':
      return notNow(t('Another window is answering in this folder. Wait or stop it, then continue here.'), state);
    case 'continuedElsewhere':
      return notNow(t('Your sessions continued in another window. Choose Continue Here to use this window.'), state);
    case 'failed':
      return state.error;
    case 'closed':
      return notNow(t('Your sessions are closed because this window is closing.'), state);
    case 'open':
    case 'readOnly':
      return notNow(t('Your sessions were just closed. Try again.'), state);
  }
}

function notNow(sentence: string, state: StoreState): StoreError {
  return new StoreError('locked', sentence, `The store was called in state ${state.kind}.`);
}
