import { useComputed } from '@preact/signals';
import { Button, Icon, LinkButton } from '../../buttons';
import { t, shownList } from '../../localization';
import type { BackgroundCommand } from '../../../protocol/workProtocol';
import { duration } from '../../times';
import { toolDetails, type CommandDetails, type EditResultDetails } from '../../toolDetails';
import { commandEnd, isLongRunning } from '../../toolLabels';
import type { CallRow } from '../state/conversationRows';
import { ApprovalController } from '../cards/approvalController';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useNow } from '../common/hooks';
import { type Chat, useChat } from '../state/chat';
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
      return details.file === null ? null : <CommandActions file={details.file} hasOutput={details.bytes > 0} />;
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
      <Button
        label={t('Stop')}
        size="tiny"
        aria-label={t('Stop {tool}', { tool: name })}
        title={t('Stop this call. The turn continues.')}
        act={() => void chat.part(ApprovalController).stopCall(callId)}
      />
      {name === 'run_command' && (
        <Button
          label={t('Continue in Background')}
          size="tiny"
          title={t('Continue in Background: the turn continues while the command runs')}
          act={() => void chat.part(ApprovalController).proceedCall(callId)}
        />
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

/** A command that runs in the background can be stopped where it was started. */
function CommandActions({ file, hasOutput }: { readonly file: string; readonly hasOutput: boolean }) {
  const isRunning = backgroundCommand(useChat(), file)?.end === null;
  if (!hasOutput && !isRunning) return null;
  return (
    <span class={`tool-actions${isRunning ? ' lasting' : ''}`}>
      {isRunning && <StopCommandAction file={file} />}
      <OutputAction file={file} />
    </span>
  );
}

function backgroundCommand(chat: Chat, file: string | null): BackgroundCommand | undefined {
  return chat.steady.value.commands.find((command) => command.file === file);
}

/** State of a command that was left running: its time, its end, or no more than that it ran once it is unknown. */
export function BackgroundState({ details }: { readonly details: CommandDetails }) {
  const chat = useChat();
  const command = backgroundCommand(chat, details.file);
  if (command === undefined) return <>{t('ran in the background')}</>;
  return command.end === null ? (
    <RunningTime startedAt={command.startedAt} />
  ) : (
    <>{commandEnd({ ...command.end, timedOut: false })}</>
  );
}

function RunningTime({ startedAt }: { readonly startedAt: number }) {
  const now = useNow(useChat().timers.nowMs, 1000);
  return (
    <>
      <Icon name="loading" spin /> {duration(now - startedAt * 1000)}
    </>
  );
}

/** Maximum number of commands named above the composer; the picker lists the others. */
const mostCommands = 3;

/** Commands that run in the background, of all sessions of the window. */
export function CommandStrip() {
  const chat = useChat();
  const running = chat.steady.value.commands.filter(({ end }) => end === null);
  if (running.length === 0) return null;
  const unnamed = running.length - mostCommands;
  return (
    <ul class="queue-list commands" aria-label={t('Running Commands')}>
      {running.slice(0, mostCommands).map(({ file, command, startedAt }) => (
        <li class="tool" key={file}>
          <div class="tool-head">
            <span class="tool-line">
              <Icon name="terminal" />
              <span class="tool-target" title={command}>
                {command}
              </span>
              <span class="tool-state">
                <RunningTime startedAt={startedAt} />
              </span>
            </span>
            <span class="tool-actions lasting">
              <StopCommandAction file={file} />
              <OutputAction file={file} />
            </span>
          </div>
        </li>
      ))}
      {unnamed > 0 && (
        <li>
          <LinkButton label={t('Running Commands…')} act={() => chat.runAction('runningCommands')} />
        </li>
      )}
    </ul>
  );
}

function StopCommandAction({ file }: { readonly file: string }) {
  const chat = useChat();
  return (
    <RowAction
      icon="debug-stop"
      label={t('Stop')}
      title={t('Stop')}
      act={() => chat.host.send('stopCommand', { file })}
    />
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
