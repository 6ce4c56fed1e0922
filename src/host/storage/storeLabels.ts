import type { Translate } from '../../base/translate';
import type { StoreAction, StoreNotice, ViewStoreState as ShownStoreState } from '../../protocol/chatProtocol';
import type { StoreState } from '../../store/ownership/storeState';
import type { StoreError } from '../../store/storeError';

/** Actions that the user can run on the store from a view; `StoreStatus` runs them. */
export const storeActions = {
  reclaim: 'store.reclaim',
  wait: 'store.wait',
  stopOwner: 'store.stopOwner',
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
      return state.blockedBy === null
        ? { kind: 'opening' }
        : { kind: 'elsewhere', sentence: silentOwnerText(state.blockedBy, t), actions: [showLog] };
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
    case 'continuedElsewhere':
      return {
        kind: 'elsewhere',
        sentence: t('Continued in another window. Everything shown is saved.'),
        actions: [action('reclaim', t('Continue Here'))],
      };
    case 'waitingForOwner':
      return { kind: 'elsewhere', sentence: ownerText(state, t), actions: ownerActions(state.chosen, action, t) };
    case 'failed':
      return failedState(state.error, [retry, ...extraSteps(state.error, action, t), showLog]);
  }
}

/** Uses the same words as the failure that follows when the other window does not respond for long
 *  (`lockAcquisition.ts`). */
function silentOwnerText(owner: string, t: Translate): string {
  return t(
    'Another window has your sessions open and isn’t responding ({owner}). Close it or wait. Your sessions open here as soon as they are free.',
    { owner },
  );
}

function ownerText(state: StoreState & { kind: 'waitingForOwner' }, t: Translate): string {
  if (state.chosen === 'stop') return t('Asking the other window to stop its answer. Everything shown is kept.');
  if (state.chosen === 'wait') return t('Waiting for the answer in the other window to finish…');
  return state.sessionTitle === null
    ? t('Another window is answering in this folder.')
    : t('Another window is answering in “{title}”.', { title: state.sessionTitle });
}

function ownerActions(
  chosen: 'nothing' | 'wait' | 'stop',
  action: (name: keyof typeof storeActions, label: string) => StoreAction,
  t: Translate,
): readonly StoreAction[] {
  const stop = action('stopOwner', t('Stop It and Continue Here'));
  if (chosen === 'stop') return [];
  return chosen === 'wait' ? [stop] : [action('wait', t('Wait')), stop];
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
