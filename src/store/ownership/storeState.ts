import { t } from '../../base/translate';
import type { OpenReport } from '../worker/openedStore';
import { StoreError } from '../storeError';

/** State of a window's connection to the history of its folder. The store answers in `open` and `readOnly`, and in
 *  `elsewhere` once a snapshot could be read. */
export type StoreState =
  | { readonly kind: 'opening' }
  /** `regained`: the reason for an automatic reopening (files of the store were deleted while it was open), or null. */
  | { readonly kind: 'open'; readonly report: OpenReport; readonly regained: StoreError | null }
  /** Everything can be read and nothing saved; the report states the reason. */
  | { readonly kind: 'readOnly'; readonly report: OpenReport; readonly error: StoreError }
  /** Another window has the history, and this one reads a snapshot of it. `report`: of the snapshot, null when there is
   *  none. `error`: the answer to every write. `owner`: description of the process that did not answer Take Over. */
  | {
      readonly kind: 'elsewhere';
      readonly report: OpenReport | null;
      readonly error: StoreError;
      readonly takeOver: 'offered' | 'asked' | 'unanswered';
      readonly owner: string;
    }
  | { readonly kind: 'failed'; readonly error: StoreError }
  | { readonly kind: 'closed' };

/** The error for a call in a state that cannot serve it, as text for the user. */
export function unavailable(state: StoreState): StoreError {
  switch (state.kind) {
    case 'opening':
      return notNow(t('Your sessions are still opening. Try again in a moment.'), state);
    case 'elsewhere':
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
