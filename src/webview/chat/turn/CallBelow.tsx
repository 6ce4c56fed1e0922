import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../buttons';
import { t, shownList } from '../../localization';
import { toolDetails, type CommandDetails } from '../../toolDetails';
import { hookRunsIn } from '../../../transcript/hookRun';
import { showInvisible } from '../../../transcript/text/invisibleCharacters';
import { toolLabels } from '../../toolLabels';
import { hookSentence, toolReason } from '../../toolReasons';
import type { CallRow } from '../state/conversationRows';
import type { CallProgress } from '../state/turnWork';
import { withInsertion } from '../drafts/composerText';
import { Drafts } from '../drafts/drafts';
import { useChat } from '../state/chat';

interface CallProps {
  readonly row: CallRow;
}

/** Lines below a call's own: what it is doing, the end of what it wrote, or the reason why it failed. */
export function CallBelow({ row }: CallProps) {
  const step = row.progress?.step ?? null;
  if (row.state === 'running') return step === null ? <CallTail row={row} /> : <Step step={step} />;
  return toolDetails(row.result)?.kind === 'command' ? <FailedTail row={row} /> : <Reason row={row} />;
}

/** Current step of a sub-agent: "Reading src/upload.ts · 4 steps". */
function Step({ step }: { readonly step: NonNullable<CallProgress['step']> }) {
  const { verb, target } = toolLabels(step.call, step.outcome ?? 'running');
  return (
    <p class="tool-note tool-step">
      <span class="tool-step-what" dir="auto">
        {target === '' ? verb : `${verb} ${target}`}
      </span>
      <span class="tool-step-count">
        · {step.steps === 1 ? t('1 step') : t('{count} steps', { count: step.steps })}
      </span>
    </p>
  );
}

/** Reason that is too long for the call's own line. */
function Reason({ row: { result } }: CallProps) {
  const reason = toolReason(result);
  if (reason === null || reason.isShort) return null;
  return (
    <p class="tool-note tool-reason" dir="auto" title={reason.text}>
      {reason.text}
    </p>
  );
}

/** Number of lines of a failed command's output that stay in view: its error is usually there. */
const failedLines = 5;

function FailedTail({ row: { state, result, call } }: CallProps) {
  const details = toolDetails(result);
  if (state !== 'failed' || details?.kind !== 'command') return null;
  const lines = details.tail
    .trimEnd()
    .split('\n')
    .slice(-failedLines)
    .join('\n')
    .replace(/^\s*\n/, '');
  if (lines === '') return null;
  const { target } = toolLabels(call, state, result);
  return (
    <pre
      class="tool-text tool-tail"
      tabIndex={0}
      role="group"
      aria-label={t('End of the output of {command}', { command: target })}
      dir="ltr"
    >
      {lines}
    </pre>
  );
}

/** Last lines of a running command's output, which is already in its file. Keeps the end in view, even when the
 *  panel gets narrower, unless the user has scrolled away from it. Grows to a few lines at most. */
function CallTail({ row }: CallProps) {
  const details = toolDetails(row.result);
  const tail = row.progress?.output?.tail ?? (details?.kind === 'command' ? details.tail : '');
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

/** Below a call's line: what its hooks did, but for those that said nothing. */
export function HookLines({ row: { result } }: CallProps) {
  const runs = hookRunsIn(result?.details).filter(({ outcome, text }) => outcome !== 'passed' || text !== '');
  return (
    <>
      {runs.map((run, index) => (
        <p class={`tool-note${run.outcome === 'blocked' ? ' tool-stopped' : ''}`} key={index} title={run.hook}>
          {showInvisible(hookSentence(run))}
        </p>
      ))}
    </>
  );
}

interface SandboxLineProps {
  readonly details: CommandDetails;
  /** True for a failed or opened command: what one that succeeded was kept from rarely matters. */
  readonly showsBlocked: boolean;
}

/** Below a command's line: what the sandbox blocked, and which files appeared meanwhile and were removed again. */
export function SandboxLine({ details: { command, sandbox }, showsBlocked }: SandboxLineProps) {
  const chat = useChat();
  const askToRunOutside = (): void => {
    const quoted = command.includes('`') || command.includes('\n') ? `\n~~~\n${command}\n~~~` : `\`${command}\``;
    chat
      .part(Drafts)
      .edit(
        withInsertion(
          chat.part(Drafts).text.peek(),
          t('Run this again without the sandbox: {command}', { command: quoted }),
        ),
      );
    chat.focusComposer();
  };
  const { stopped = [], takenOut = [] } = sandbox ?? {};
  return (
    <>
      {takenOut.length > 0 && (
        <p
          class="tool-note"
          title={t('Such a file can run code or instruct agents, so creating it needs your approval.')}
        >
          {t('Removed from the folder: {files}', { files: shownList(takenOut) })}
        </p>
      )}
      {showsBlocked && stopped.length > 0 && (
        <p class="tool-note tool-stopped">
          <span>{t('Blocked by the sandbox: {what}', { what: shownList(stopped) })}</span>{' '}
          <Button
            label={t('Run Without the Sandbox…')}
            size="tiny"
            title={t('Writes a prompt that asks for this. You still approve the command before it runs.')}
            act={askToRunOutside}
          />
        </p>
      )}
    </>
  );
}
