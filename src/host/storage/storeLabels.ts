import type { StoreAction, StoreNotice, ViewStoreState as ShownStoreState } from '../../protocol/chatProtocol';
import type { StoreState } from '../../store/ownership/storeState';
import type { FoundSpill } from '../../store/worker/earlierSpills';
import { t } from '../../base/translate';
import type { OpenReport } from '../../store/worker/openedStore';
import type { StoreError } from '../../store/storeError';

/** Something that the user can choose to do. */
export interface Offer {
  readonly sentence: string;
  readonly choices: readonly { readonly label: string; readonly run: () => Promise<void> }[];
}

/** Actions that the user can run on the store from a view; `StoreStatus` runs them. */
export const storeActions = {
  takeOver: 'store.takeOver',
  retry: 'store.retry',
  showLog: 'showLog',
  openStorageSetting: 'openSettings:hermes.storage.path',
} as const;

const showLog = (): StoreAction => ({ action: storeActions.showLog, label: t('Show Log') });

/** Causes of a failure after which another folder may help. */
const folderCauses: readonly StoreError['causeClass'][] = ['readOnly', 'full', 'corrupt', 'unknown'];

/** Describes the store's state for a view: what happened, what is safe, and what the user can do now. */
export function storeLabels(state: StoreState, notices: readonly StoreNotice[]): ShownStoreState {
  const retry: StoreAction = { action: storeActions.retry, label: t('Try Again') };
  const chooseFolder: StoreAction = { action: storeActions.openStorageSetting, label: t('Choose a Storage Folder') };
  switch (state.kind) {
    case 'opening':
    case 'closed':
      return { kind: 'opening' };
    case 'open':
      return { kind: 'open', notices };
    case 'readOnly':
      return { kind: 'readOnly', sentence: state.error.message, actions: [retry, chooseFolder] };
    case 'elsewhere':
      return {
        kind: 'elsewhere',
        readable: state.report !== null,
        sentence: elsewhereText(state),
        actions: state.takeOver === 'asked' ? [] : [{ action: storeActions.takeOver, label: t('Take Over') }],
      };
    case 'failed': {
      const { causeClass: cause, message: sentence, technical } = state.error;
      const actions = [retry, ...(folderCauses.includes(cause) ? [chooseFolder] : []), showLog()];
      return { kind: 'failed', cause, sentence, technical, actions };
    }
  }
}

function elsewhereText({ takeOver, report, owner }: StoreState & { kind: 'elsewhere' }): string {
  if (takeOver === 'asked') return t('Taking over… The other window is saving its work.');
  if (takeOver === 'unanswered')
    return t('The other window isn’t responding ({owner}). Close it, or try again.', { owner });
  return report === null
    ? t('Your sessions are open in another window.')
    : t('Your sessions are open in another window. You can read them here.');
}

/** Notices about the opening of the store. A normal opening has none, even after a crash: interrupted turns are
 *  marked where they ended. */
export function openReportNotices(report: OpenReport): readonly StoreNotice[] {
  const found = report.salvaged.filter(({ sessions, messages }) => sessions + messages > 0);
  const { quarantined } = report;
  const salvaged = found.map(({ path, sessions, messages, complete }) => {
    const args = { path, sessions: String(sessions), messages: String(messages) };
    const saved = complete
      ? t(
          'All of its contents were recovered ({sessions} sessions, {messages} messages). The damaged file is kept at {path}.',
          args,
        )
      : t(
          'Most of it was recovered ({sessions} sessions, {messages} messages); some rows couldn’t be read. The damaged file is kept at {path}.',
          args,
        );
    return `${damageSentence(quarantined?.damage)} ${saved}`;
  });
  const lost = quarantined !== null && found.length === 0 ? [lostSentence(quarantined, report.path)] : [];
  return [
    ...[...salvaged, ...lost].map((sentence) => ({ sentence, actions: [showLog()] })),
    ...report.spills.map(({ outcome, path }) => ({
      sentence: spillSentence(outcome, path),
      actions: outcome === 'stored' ? [] : [showLog()],
    })),
  ];
}

/** Describes an answer that an earlier build kept in a file of its own. */
function spillSentence(outcome: FoundSpill['outcome'], path: string): string {
  switch (outcome) {
    case 'stored':
      return t('An answer that couldn’t be saved earlier is now saved in its session.');
    case 'kept':
      return t('The readable part of an unsaved answer is now in its session. The rest is kept in {path}.', { path });
    case 'notHere':
      return t(
        'An unsaved answer belongs to a session that isn’t in this file. It is kept in {path}. Restore that session to add the answer to it.',
        { path },
      );
    case 'failed':
      return t('The unsaved answer in {path} couldn’t be read. Hermes tries again the next time it starts.', { path });
    default:
      return outcome satisfies never;
  }
}

function damageSentence(damage: string | undefined): string {
  switch (damage) {
    case 'truncated':
      return t('The session file had been cut off.');
    case 'empty':
      return t('The session file had been emptied.');
    default:
      return t('The session file was damaged.');
  }
}

function lostSentence({ path, damage }: NonNullable<OpenReport['quarantined']>, place: string): string {
  return damage === 'empty'
    ? t(
        'The session file was emptied or replaced by another program, so Hermes started a new history. To restore your sessions, close this window and put a copy of the file at {place}. The empty file is kept at {path}.',
        { path, place },
      )
    : t(
        'The session file couldn’t be read, so Hermes started a new history. The old file is kept unchanged at {path}.',
        { path },
      );
}

interface ReplacedChoices {
  readonly bringBack: () => Promise<void>;
  /** Keeps a copy where it is and stops offering it. */
  readonly leave: (path: string) => Promise<void>;
}

/** Offers to restore sessions whose file was replaced by another one, until the user decides. */
export function replacedOffers({ replaced }: OpenReport, { bringBack, leave }: ReplacedChoices): readonly Offer[] {
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
): readonly StoreNotice[] {
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
  return [...mended, ...back].map((sentence) => ({ sentence, actions: [showLog()] }));
}
