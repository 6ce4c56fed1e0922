import type { StoreNotice } from '../protocol/chatProtocol';
import type { FoundSpill } from '../store/spill/foundSpills';
import type { SpillStatus } from '../store/spill/spillingStore';
import { storeActions } from './storeWords';

type Translate = (message: string, args?: Record<string, string>) => string;

/** What a person is told while an answer cannot be saved where it belongs, and once it is. */
export function spillNotices(statuses: readonly SpillStatus[], t: Translate): readonly StoreNotice[] {
  const tryAgain = { action: storeActions.retry, label: t('Try Again') };
  const showLog = { action: storeActions.showLog, label: t('Show Log') };
  return statuses.map(({ state, path, cause }): StoreNotice => {
    switch (state) {
      case 'writing':
        return {
          sentence: t(
            '{cause} The answer goes on, and everything shown of it is kept in {path} until it can be put into its session.',
            { cause: cause.message, path },
          ),
          actions: [tryAgain, showLog],
        };
      case 'folded':
        return { sentence: t('The answer that could not be saved at first is saved in its session now.'), actions: [] };
      case 'kept':
        return { sentence: keptSentence(path, t), actions: [showLog] };
      case 'otherStore':
        return { sentence: otherStoreSentence(path, t), actions: [showLog] };
      default:
        return state satisfies never;
    }
  });
}

/** The same for answers that an earlier run of this or another window left. */
export function foundSpillNotices(spills: readonly FoundSpill[], t: Translate): readonly StoreNotice[] {
  const showLog = { action: storeActions.showLog, label: t('Show Log') };
  return spills.map(({ outcome, path }): StoreNotice => {
    switch (outcome) {
      case 'folded':
        return { sentence: t('The answer that could not be saved at first is saved in its session now.'), actions: [] };
      case 'kept':
        return { sentence: keptSentence(path, t), actions: [showLog] };
      case 'otherStore':
        return { sentence: otherStoreSentence(path, t), actions: [showLog] };
      case 'failed':
        return {
          sentence: t(
            'An answer that could not be saved lies in {path} and could not be read this time. It is tried again at the next start.',
            { path },
          ),
          actions: [showLog],
        };
      default:
        return outcome satisfies never;
    }
  });
}

function keptSentence(path: string, t: Translate): string {
  return t('What could be read of an answer that could not be saved is in its session. The rest is kept in {path}.', {
    path,
  });
}

function otherStoreSentence(path: string, t: Translate): string {
  return t(
    '{path} holds an answer of a session file that is no longer in its place. Put that file back and reload the window to have it in its session.',
    { path },
  );
}
