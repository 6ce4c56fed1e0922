import { joinSentences } from '../../base/messageText';
import type { Translate } from '../../base/translate';
import type { StoreNotice } from '../../protocol/chatProtocol';
import type { FoundSpill } from '../../store/spill/foundSpills';
import type { SpillStatus } from '../../store/spill/spillingStore';
import { storeActions } from './storeLabels';

/** Notices while an answer cannot be saved in its store, and once it is. `withCause`: pass true when nothing else
 *  shows the reason. */
export function spillNotices(
  statuses: readonly SpillStatus[],
  withCause: boolean,
  t: Translate,
): readonly StoreNotice[] {
  const tryAgain = { action: storeActions.retry, label: t('Try Again') };
  const showLog = { action: storeActions.showLog, label: t('Show Log') };
  const named = new Set<string>();
  return statuses.map(({ state, path, cause, isOver }): StoreNotice => {
    switch (state) {
      case 'writing': {
        const why = withCause && !named.has(cause.message) ? [cause.message] : [];
        named.add(cause.message);
        const continues = isOver ? [] : [t('The answer continues.')];
        const where = t('Everything shown is kept in {path} until it can be saved to the session.', { path });
        return { sentence: joinSentences([...why, ...continues, where]), actions: [tryAgain, showLog] };
      }
      case 'folded':
        return { sentence: t('An answer that couldn’t be saved earlier is now saved in its session.'), actions: [] };
      case 'kept':
        return { sentence: keptSentence(path, t), actions: [showLog] };
      case 'otherStore':
        return { sentence: otherStoreSentence(path, t), actions: [showLog] };
      default:
        return state satisfies never;
    }
  });
}

/** The same notices for answers that an earlier run of this or another window left. */
export function foundSpillNotices(spills: readonly FoundSpill[], t: Translate): readonly StoreNotice[] {
  const showLog = { action: storeActions.showLog, label: t('Show Log') };
  return spills.map(({ outcome, path }): StoreNotice => {
    switch (outcome) {
      case 'folded':
        return { sentence: t('An answer that couldn’t be saved earlier is now saved in its session.'), actions: [] };
      case 'kept':
        return { sentence: keptSentence(path, t), actions: [showLog] };
      case 'otherStore':
        return { sentence: otherStoreSentence(path, t), actions: [showLog] };
      case 'laterVersion':
        return {
          sentence: t(
            'An unsaved answer in {path} was written by a later version of Hermes. It is kept there. Update Hermes to add the answer to its session.',
            { path },
          ),
          actions: [showLog],
        };
      case 'failed':
        return {
          sentence: t('The unsaved answer in {path} couldn’t be read. Hermes tries again the next time it starts.', {
            path,
          }),
          actions: [showLog],
        };
      default:
        return outcome satisfies never;
    }
  });
}

function keptSentence(path: string, t: Translate): string {
  return t('The readable part of an unsaved answer is now in its session. The rest is kept in {path}.', {
    path,
  });
}

function otherStoreSentence(path: string, t: Translate): string {
  return t(
    'An unsaved answer belongs to a session that isn’t in this file. It is kept in {path}. Restore that session to add the answer to it.',
    { path },
  );
}
