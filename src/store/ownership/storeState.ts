import type { OpenReport } from '../worker/openedStore';
import { StoreError } from '../storeError';

/** Where a window stands with the history of its folder. Only in `open` and `readOnly` does the store answer. */
export type StoreState =
  /** `blockedBy`: somebody holds the store and does not answer yet, in words; null while nothing is in the way. */
  | { readonly kind: 'opening'; readonly blockedBy: string | null }
  /** `regained`: why it was opened again without being asked to, or null: files of it were deleted while it was open. */
  | { readonly kind: 'open'; readonly report: OpenReport; readonly regained: StoreError | null }
  /** Everything can be read and nothing saved; the report says why. */
  | { readonly kind: 'readOnly'; readonly report: OpenReport; readonly error: StoreError }
  /** Another window owns the history and a turn runs there. `chosen`: what this window has asked for. */
  | {
      readonly kind: 'waitingForOwner';
      readonly sessionTitle: string | null;
      readonly chosen: 'nothing' | 'wait' | 'stop';
    }
  /** Another window took over; `reclaim` asks it back. */
  | { readonly kind: 'continuedElsewhere' }
  | { readonly kind: 'failed'; readonly error: StoreError }
  | { readonly kind: 'closed' };

/** Why a call cannot be served in a state, in words for a person. */
export function unavailable(state: StoreState): StoreError {
  switch (state.kind) {
    case 'opening':
      return notNow('Your sessions are still opening. Try again in a moment.', state);
    case 'waitingForOwner':
      return notNow('Another window is answering in this folder. Wait or stop it, then continue here.', state);
    case 'continuedElsewhere':
      return notNow('Your sessions continued in another window. Choose Continue Here to use this window.', state);
    case 'failed':
      return state.error;
    case 'closed':
      return notNow('Your sessions are closed because this window is closing.', state);
    case 'open':
    case 'readOnly':
      return notNow('Your sessions were just closed. Try again.', state);
  }
}

function notNow(sentence: string, state: StoreState): StoreError {
  return new StoreError('locked', sentence, `The store was called in state ${state.kind}.`);
}
