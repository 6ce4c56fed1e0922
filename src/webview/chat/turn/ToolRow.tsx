import { Icon } from '../../buttons';
import { hookRunsIn } from '../../../transcript/hookRun';
import { lineCounts, toolDetails } from '../../toolDetails';
import { t } from '../../localization';
import { duration } from '../../times';
import { resultCount, stateWord, toolLabels, toolName, type ToolLabels, type ToolState } from '../../toolLabels';
import type { CallRow } from '../state/conversationRows';
import { PathParts, Counts } from '../common/marks';
import { useNow } from '../common/hooks';
import { useChat } from '../state/chat';
import { FoldState } from '../state/foldState';
import { lazyTurn } from './lazyTurn';

/** Tool call on one line; opens to show its arguments and result. */
export function ToolRow({ row, turnUid }: { readonly row: CallRow; readonly turnUid: string | null }) {
  const chat = useChat();
  const lazy = lazyTurn.value;
  const { call, result, state } = row;
  const details = toolDetails(result);
  const hasHooks = result?.details !== undefined && hookRunsIn(result.details).length > 0;
  const id = `call:${call.callId}`;
  const open = chat.part(FoldState).open.value.has(id);
  const labels = toolLabels(call, state, result);
  const name = t('Tool: {tool}, {state}', { tool: toolName(call), state: stateWord(state) });
  return (
    <div class={`tool tool-${state}`} role="group" aria-label={name}>
      <div class="tool-head">
        <button type="button" class="tool-line" aria-expanded={open} onClick={() => chat.part(FoldState).toggle(id)}>
          <Icon name={labels.icon} />
          <span class="tool-verb">{labels.verb}</span>
          <Target labels={labels} />
          <LineCounts result={result} />
          <span class="tool-state">
            {details?.kind === 'command' && details.background !== null && lazy !== null ? (
              <lazy.BackgroundState details={details} />
            ) : state === 'done' || isEndedCommand(row) ? (
              resultCount(result)
            ) : (
              <StateMark row={row} />
            )}
          </span>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        </button>
        {lazy !== null && <lazy.CallActions row={row} turnUid={turnUid} />}
      </div>
      {(state === 'running' || !open) && lazy !== null && <lazy.CallBelow row={row} />}
      {details?.kind === 'command' && details.sandbox !== undefined && lazy !== null && (
        <lazy.SandboxLine details={details} showsBlocked={state === 'failed' || open} />
      )}
      {hasHooks && lazy !== null && <lazy.HookLines row={row} />}
      {open && lazy !== null && <lazy.CallDetails row={row} />}
    </div>
  );
}

function Target({ labels: { icon, target } }: { readonly labels: ToolLabels }) {
  if ((icon !== 'file' && icon !== 'edit') || !target.includes('/'))
    return (
      <span class="tool-target" dir="auto" title={target}>
        {target}
      </span>
    );
  return (
    <span class="tool-target tool-path" dir="auto" title={target}>
      <PathParts path={target} />
    </span>
  );
}

/** True for a failed command: its exit code says more than "failed". */
function isEndedCommand({ state, result }: CallRow): boolean {
  return state === 'failed' && toolDetails(result)?.kind === 'command';
}

/** "+6 −2" for an edit. */
function LineCounts({ result }: { readonly result: CallRow['result'] }) {
  const details = toolDetails(result);
  if (details?.kind !== 'edit') return null;
  return <Counts {...lineCounts(details.files)} />;
}

const stateIcons: Readonly<Record<Exclude<ToolState, 'done'>, string>> = {
  queued: 'circle-outline',
  waiting: 'question',
  running: 'loading',
  failed: 'error',
  denied: 'circle-slash',
  blocked: 'circle-slash',
  cancelled: 'circle-slash',
  interrupted: 'debug-stop',
  repaired: 'wrench',
};

/** State of a call that is not done: in a word, or as its reason if that is short. */
function StateMark({ row: { state, startedAt, result } }: { readonly row: CallRow }) {
  const chat = useChat();
  const now = useNow(chat.timers.nowMs, 1000, state === 'running');
  if (state === 'done') return null;
  const elapsed = state === 'running' && startedAt !== null ? ` ${duration(Math.max(0, now - startedAt * 1000))}` : '';
  return (
    <>
      <Icon name={stateIcons[state]} spin={state === 'running'} />{' '}
      {state === 'waiting' ? t('waiting') : endWord(state, result)}
      {elapsed}
    </>
  );
}

function endWord(state: Exclude<ToolState, 'done'>, result: CallRow['result']): string {
  const reason = lazyTurn.value?.toolReason(result) ?? null;
  if (reason === null || !reason.isShort) return stateWord(state);
  return state === 'denied' ? t('denied: {reason}', { reason: reason.text }) : reason.text;
}
