import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../../../Icon';
import { t } from '../../../../localization';
import { toolDetails, type EditDetails } from '../../../../toolDetails';
import { isLongRunning } from '../../../../toolLabels';
import type { CallRow } from '../../../state/conversationRows';
import { useChat } from '../../common/ChatContext';

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
        onClick={() => void chat.approvals.stopCall(callId)}
      >
        {t('Stop')}
      </button>
      {name === 'run_command' && (
        <button
          type="button"
          class="button secondary tiny"
          title={t('Continue in Background: the turn continues while the command runs')}
          onClick={() => void chat.approvals.proceedCall(callId)}
        >
          {t('Continue in Background')}
        </button>
      )}
      {sessionId !== null && <SessionAction sessionId={sessionId} />}
      {output !== null && <OutputAction file={output.file} />}
    </span>
  );
}

function OutputAction({ file }: { readonly file: string }) {
  const chat = useChat();
  return (
    <button
      type="button"
      class="button secondary tiny"
      aria-label={t('Open Output')}
      title={t('Open Output')}
      onClick={() => chat.openOutput(file)}
    >
      <span class="tool-sign">
        <Icon name="go-to-file" />
      </span>
      <span class="tool-label">{t('Open Output')}</span>
    </button>
  );
}

function SessionAction({ sessionId }: { readonly sessionId: string }) {
  const chat = useChat();
  return (
    <button
      type="button"
      class="button secondary tiny"
      title={t('Open this sub-agent’s session')}
      onClick={() => void chat.switches.open(sessionId)}
    >
      {t('Open')}
    </button>
  );
}

/** Revert reverts everything the whole turn did to the file; this call may be only part of that. */
function EditActions({ details, turnUid }: { readonly details: EditDetails; readonly turnUid: string }) {
  const chat = useChat();
  const changes = useComputed(() => chat.state.value.conversation?.changes.get(turnUid)).value;
  const busy = chat.files.busy.value.has(turnUid);
  const paths = details.files.map(({ path }) => path);
  const changed = changes?.filter(({ path }) => paths.includes(path)) ?? [];
  const revertible = changed.filter(({ state }) => state === 'open' || state === 'partly' || state === 'changedSince');
  const undoable = changed.filter(({ canUndoRevert }) => canUndoRevert === true);
  const isReverted = changed.length > 0 && changed.every(({ state }) => state === 'reverted');
  return (
    <span class="tool-actions">
      {isReverted && <span class="tool-fact">{t('reverted')}</span>}
      {changed.length > 0 && !isReverted && (
        <button
          type="button"
          class="button secondary tiny"
          title={t('Review all changes of this turn')}
          onClick={() => chat.openReview(turnUid)}
        >
          {t('Review')}
        </button>
      )}
      {revertible.length > 0 && (
        <button
          type="button"
          class="button secondary tiny"
          disabled={busy}
          title={t('Revert this turn’s changes to {files}', {
            files: revertible.map(({ shown }) => shown).join(', '),
          })}
          onClick={() =>
            void chat.files.review(
              turnUid,
              revertible.map(({ path }) => path),
              'revert',
            )
          }
        >
          {t('Revert')}
        </button>
      )}
      {isReverted && undoable.length > 0 && (
        <button
          type="button"
          class="button secondary tiny"
          disabled={busy}
          title={t('Undo the revert of {files}', { files: undoable.map(({ shown }) => shown).join(', ') })}
          onClick={() =>
            void chat.files.undoRevert(
              turnUid,
              undoable.map(({ path }) => path),
            )
          }
        >
          {t('Undo Revert')}
        </button>
      )}
    </span>
  );
}

/** Last lines of a running command's output, which is already in its file. Keeps the end in view, even when the
 *  panel gets narrower, unless the user has scrolled away from it. Grows to a few lines at most. */
export function CallTail({ row }: { readonly row: CallRow }) {
  const tail = row.progress?.output?.tail ?? '';
  const note = row.progress?.note ?? null;
  const frame = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  const isEmpty = tail.trim() === '';
  const toEnd = (): void => {
    if (frame.current !== null && follows.current) frame.current.scrollTop = frame.current.scrollHeight;
  };
  useEffect(toEnd, [tail]);
  useEffect(() => {
    if (frame.current === null) return undefined;
    const watching = new ResizeObserver(toEnd);
    watching.observe(frame.current);
    return () => watching.disconnect();
  }, [isEmpty]);
  const onScroll = (event: { readonly currentTarget: HTMLElement }): void => {
    const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
    follows.current = scrollTop + clientHeight >= scrollHeight - 8;
  };
  if (isEmpty) return note === null ? null : <p class="tool-note">{note}</p>;
  return (
    <pre
      class="tool-text tool-tail"
      ref={frame}
      onScroll={onScroll}
      tabIndex={0}
      role="region"
      aria-label={t('Output')}
    >
      {tail.replace(/\n+$/, '')}
    </pre>
  );
}
