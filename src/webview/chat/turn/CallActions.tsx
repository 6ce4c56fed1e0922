import { useComputed } from '@preact/signals';
import { Icon } from '../../Icon';
import { t, shownList } from '../../localization';
import { toolDetails, type EditResultDetails } from '../../toolDetails';
import { isLongRunning } from '../../toolLabels';
import type { CallRow } from '../state/conversationRows';
import { ApprovalController } from '../cards/approvalController';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useChat } from '../state/chat';
import { FileReviews } from './fileReviews';

interface CallProps {
  readonly row: CallRow;
  /** The turn that contains the call. */
  readonly turnUid: string | null;
}

/** Actions for a call, at the end of its line. */
export function CallActions({ row, turnUid }: CallProps) {
  const details = toolDetails(row.result);
  if (row.state === 'running') return <RunningActions row={row} />;
  switch (details?.kind) {
    case 'edit':
      return turnUid === null ? null : <EditActions details={details} turnUid={turnUid} />;
    case 'command':
      return details.file === null || details.bytes === 0 ? null : (
        <span class="tool-actions">
          <OutputAction file={details.file} />
        </span>
      );
    case 'delegate':
      return (
        <span class="tool-actions">
          <SessionAction sessionId={details.sessionId} />
        </span>
      );
    default:
      return null;
  }
}

function RunningActions({ row }: { readonly row: CallRow }) {
  const chat = useChat();
  const { callId, name } = row.call;
  const { output = null, sessionId = null } = row.progress ?? {};
  if (!isLongRunning(name)) return null;
  return (
    <span class="tool-actions">
      <button
        type="button"
        class="button secondary tiny"
        aria-label={t('Stop {tool}', { tool: name })}
        title={t('Stop this call. The turn continues.')}
        onClick={() => void chat.part(ApprovalController).stopCall(callId)}
      >
        {t('Stop')}
      </button>
      {name === 'run_command' && (
        <button
          type="button"
          class="button secondary tiny"
          title={t('Continue in Background: the turn continues while the command runs')}
          onClick={() => void chat.part(ApprovalController).proceedCall(callId)}
        >
          {t('Continue in Background')}
        </button>
      )}
      {sessionId !== null && <SessionAction sessionId={sessionId} />}
      {output !== null && <OutputAction file={output.file} />}
    </span>
  );
}

interface RowActionProps {
  readonly icon: string;
  readonly label: string;
  readonly title: string;
  readonly act: () => void;
  readonly disabled?: boolean;
}

/** Button at the end of a call's line. In a narrow panel it is an icon, so that the call's target keeps its room. */
function RowAction({ icon, label, title, act, disabled = false }: RowActionProps) {
  return (
    <button
      type="button"
      class="button secondary tiny"
      aria-label={label}
      title={title}
      disabled={disabled}
      onClick={act}
    >
      <span class="tool-sign">
        <Icon name={icon} />
      </span>
      <span class="tool-label">{label}</span>
    </button>
  );
}

function OutputAction({ file }: { readonly file: string }) {
  const chat = useChat();
  const label = t('Open Output');
  return <RowAction icon="go-to-file" label={label} title={label} act={() => chat.host.send('openOutput', { file })} />;
}

function SessionAction({ sessionId }: { readonly sessionId: string }) {
  const chat = useChat();
  return (
    <RowAction
      icon="comment-discussion"
      label={t('Open')}
      title={t('Open this sub-agent’s session')}
      act={() => void chat.part(SessionSwitchController).open(sessionId)}
    />
  );
}

/** Revert reverts everything the whole turn did to the file; this call may be only part of that. */
function EditActions({ details, turnUid }: { readonly details: EditResultDetails; readonly turnUid: string }) {
  const chat = useChat();
  const changes = useComputed(() => chat.state.value.conversation?.changes.get(turnUid)).value;
  const busy = chat.part(FileReviews).busy.value.has(turnUid);
  const paths = details.files.map(({ path }) => path);
  const changed = changes?.filter(({ path }) => paths.includes(path)) ?? [];
  const revertible = changed.filter(({ state }) => state === 'open' || state === 'partly' || state === 'changedSince');
  const undoable = changed.filter(({ canUndoRevert }) => canUndoRevert === true);
  const isReverted = changed.length > 0 && changed.every(({ state }) => state === 'reverted');
  return (
    <span class="tool-actions">
      {isReverted && <span class="tool-fact">{t('reverted')}</span>}
      {changed.length > 0 && !isReverted && (
        <RowAction
          icon="diff-multiple"
          label={t('Review')}
          title={t('Review all changes of this turn')}
          act={() => chat.host.send('openReview', { turnUid, session: false })}
        />
      )}
      {revertible.length > 0 && (
        <RowAction
          icon="discard"
          label={t('Revert')}
          title={t('Revert this turn’s changes to {files}', {
            files: shownList(revertible.map(({ shown }) => shown)),
          })}
          disabled={busy}
          act={() =>
            void chat.part(FileReviews).review(
              turnUid,
              revertible.map(({ path }) => path),
              'revert',
            )
          }
        />
      )}
      {isReverted && undoable.length > 0 && (
        <RowAction
          icon="redo"
          label={t('Undo Revert')}
          title={t('Undo the revert of {files}', { files: shownList(undoable.map(({ shown }) => shown)) })}
          disabled={busy}
          act={() =>
            void chat.part(FileReviews).undoRevert(
              turnUid,
              undoable.map(({ path }) => path),
            )
          }
        />
      )}
    </span>
  );
}
