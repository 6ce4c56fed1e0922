import type { Translate } from '../../base/translate';
import type { StoreNotice } from '../../protocol/chatProtocol';
import type { OpenReport } from '../../store/worker/openedStore';
import type { StoreError } from '../../store/storeError';
import type { Offer } from './storeStatus';

interface ReplacedChoices {
  readonly bringBack: () => Promise<void>;
  /** Keeps a copy where it is and stops offering it. */
  readonly leave: (path: string) => Promise<void>;
}

/** Offers to restore sessions whose file was replaced by another one, until the user decides. */
export function replacedOffers(
  { replaced }: OpenReport,
  { bringBack, leave }: ReplacedChoices,
  t: Translate,
): readonly Offer[] {
  return replaced.map(({ path, problem }) => ({
    sentence:
      problem === null
        ? t(
            'Another file replaced your session file. Restore your sessions to have both here. They are kept in {path}.',
            { path },
          )
        : t('Couldn’t restore the sessions kept in {path}. That file is unchanged.', { path }),
    choices: [
      { label: problem === null ? t('Restore Sessions') : t('Try Again'), run: bringBack },
      { label: t('Leave Them There'), run: () => leave(path) },
    ],
  }));
}

/** Notices about deleted files that opening restored, and about sessions that it brought back. `regained`: the
 *  reason for opening the store again. */
export function putRightNotices(
  { putBack, broughtBack }: OpenReport,
  regained: StoreError | null,
  t: Translate,
): readonly StoreNotice[] {
  const showLog = { action: 'showLog', label: t('Show Log') };
  const mended =
    putBack !== null
      ? [t('Your session file was deleted while in use. Hermes restored it.')]
      : regained !== null
        ? [t('The lock file for your sessions was deleted. Hermes created it again. Everything shown is saved.')]
        : [];
  const back = broughtBack.map(({ path, messages, complete }) =>
    complete
      ? t(
          'Your sessions are restored: {messages} missing messages were added. The file they came from is kept in {path}.',
          { path, messages: String(messages) },
        )
      : t(
          'Your sessions are restored: {messages} missing messages were added. Some rows couldn’t be read. The file they came from is kept in {path}.',
          { path, messages: String(messages) },
        ),
  );
  return [...mended, ...back].map((sentence) => ({ sentence, actions: [showLog] }));
}
