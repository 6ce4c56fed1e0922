import type { Translate } from '../../base/translate';
import type { StoreAction, StoreNotice, ViewStoreState as ShownStoreState } from '../../protocol/chatProtocol';
import type { StoreState } from '../../store/ownership/storeState';
import type { StoreError } from '../../store/storeError';

/** Actions that the user can run on the store from a view; `StoreStatus` runs them. */
export const storeActions = {
  takeOver: 'store.takeOver',
  retry: 'store.retry',
  showLog: 'showLog',
  openStorageSetting: 'openSettings:hermes.storage.path',
} as const;

/** Describes the store's state for a view: what happened, what is safe, and what the user can do now. */
export function storeLabels(state: StoreState, notices: readonly StoreNotice[], t: Translate): ShownStoreState {
  const action = (name: keyof typeof storeActions, label: string): StoreAction => ({
    action: storeActions[name],
    label,
  });
  const retry = action('retry', t('Try Again'));
  const showLog = action('showLog', t('Show Log'));
  switch (state.kind) {
    case 'opening':
    case 'closed':
      return { kind: 'opening' };
    case 'open':
      return { kind: 'open', notices };
    case 'readOnly':
      return {
        kind: 'readOnly',
        sentence: state.error.message,
        actions: [retry, action('openStorageSetting', t('Choose a Storage Folder'))],
      };
    case 'elsewhere':
      return {
        kind: 'elsewhere',
        readable: state.report !== null,
        sentence: elsewhereText(state, t),
        actions: state.takeOver === 'asked' ? [] : [action('takeOver', t('Take Over'))],
      };
    case 'failed':
      return failedState(state.error, [retry, ...extraSteps(state.error, action, t), showLog]);
  }
}

function elsewhereText({ takeOver, report, owner }: StoreState & { kind: 'elsewhere' }, t: Translate): string {
  if (takeOver === 'asked') return t('Taking over… The other window is saving its work.');
  if (takeOver === 'unanswered')
    return t('The other window isn’t responding ({owner}). Close it, or try again.', { owner });
  return report === null
    ? t('Your sessions are open in another window.')
    : t('Your sessions are open in another window. You can read them here.');
}

/** Steps that fit the cause, besides trying again. */
function extraSteps(
  error: StoreError,
  action: (name: keyof typeof storeActions, label: string) => StoreAction,
  t: Translate,
): readonly StoreAction[] {
  const chooseFolder = action('openStorageSetting', t('Choose a Storage Folder'));
  return error.causeClass === 'readOnly' ||
    error.causeClass === 'full' ||
    error.causeClass === 'corrupt' ||
    error.causeClass === 'unknown'
    ? [chooseFolder]
    : [];
}

function failedState(error: StoreError, actions: readonly StoreAction[]): ShownStoreState {
  return { kind: 'failed', cause: error.causeClass, sentence: error.message, technical: error.technical, actions };
}
