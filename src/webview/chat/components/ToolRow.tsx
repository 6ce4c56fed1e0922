import type { ToolCallPart, ToolResultPart } from '../../../protocol/transcriptWords';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { duration } from '../../times';
import { readableArguments, resultCount, stateWord, toolTarget, toolWords, type ToolState } from '../../toolWords';
import type { CallRow } from '../conversationRows';
import { useChat } from './ChatContext';
import { useNow } from './timing';

/** A tool call in one line; opens for its arguments and result. */
export function ToolRow({ row }: { readonly row: CallRow }) {
  const chat = useChat();
  const { call, result, state } = row;
  const id = `call:${call.callId}`;
  const open = chat.folds.open.value.has(id);
  const words = toolWords(call, state);
  const target = toolTarget(call);
  const name = t('Tool: {tool}, {state}', { tool: target === '' ? call.name : `${call.name} ${target}`, state: stateWord(state) });
  return (
    <div class={`tool tool-${state}`} role="group" aria-label={name}>
      <button type="button" class="tool-line" aria-expanded={open} onClick={() => chat.folds.toggle(id)}>
        <Icon name={words.icon} />
        <span class="tool-verb">{words.verb}</span>
        <span class="tool-target" dir="auto">{words.target}</span>
        <span class="tool-state">
          {state === 'done' ? resultCount(result) : <StateMark row={row} />}
        </span>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
      </button>
      {open && <ToolDetails call={call} result={result} />}
    </div>
  );
}

const stateIcons: Readonly<Record<Exclude<ToolState, 'done'>, string>> = {
  queued: 'circle-outline',
  waiting: 'question',
  running: 'loading',
  failed: 'error',
  denied: 'circle-slash',
  cancelled: 'circle-slash',
  interrupted: 'debug-stop',
};

function StateMark({ row: { state, startedAt } }: { readonly row: CallRow }) {
  const chat = useChat();
  const now = useNow(chat.needs.timers.nowMs, 1000, state === 'running');
  if (state === 'done') return null;
  const elapsed = state === 'running' && startedAt !== null ? ` ${duration(Math.max(0, now - startedAt * 1000))}` : '';
  return (
    <>
      <Icon name={stateIcons[state]} spin={state === 'running'} /> {stateWord(state)}
      {elapsed}
    </>
  );
}

function ToolDetails({ call, result }: { readonly call: ToolCallPart; readonly result: ToolResultPart | null }) {
  return (
    <div class="tool-details">
      <p class="tool-heading">{t('Arguments of {tool}', { tool: call.name })}</p>
      <pre class="tool-text" tabIndex={0}>{readableArguments(call.arguments)}</pre>
      {result !== null && (
        <>
          <p class="tool-heading">{t('Result')}</p>
          <pre class="tool-text" tabIndex={0}>{result.text}</pre>
        </>
      )}
    </div>
  );
}
