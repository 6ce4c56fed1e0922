import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Icon } from '../../buttons';
import { t } from '../../localization';
import { memo } from '../../memo';
import { clockTime, duration } from '../../times';
import { groupLabel } from '../../toolLabels';
import { folds, type AnswerRow, type CallRow } from '../state/conversationRows';
import { todosFoldKey, FoldState } from '../state/foldState';
import { FoldButton } from '../common/marks';
import { ToolRow } from './ToolRow';
import { useChat, type Chat } from '../state/chat';
import type { ViewMemory } from '../connection/viewMemory';
import { useComputed } from '@preact/signals';
import { Markdown } from '../../markdown/Markdown';
import type { Conversation } from '../state/conversation';

/** Number of messages whose thinking time is remembered: the newest. */
const mostRemembered = 100;

interface AnswerProps {
  readonly row: AnswerRow;
  /** Start of the turn in seconds since the epoch: the time of an answer whose row is not known yet. */
  readonly startedAt: number | null;
  /** Rendered before the answer, also while the answer is folded. */
  readonly head?: ComponentChildren;
  readonly folded?: boolean;
  readonly hidden?: boolean;
  /** Status or outcome of the turn, below its last answer. */
  readonly children?: ComponentChildren;
}

const AnswerBody = memo(({ row }: { readonly row: AnswerRow }) => {
  return (
    <>
      {segments(row).map((segment) => {
        const { key } = segment;
        if (segment.kind === 'calls')
          return <Calls key={key} id={key} calls={segment.calls} turnUid={row.message.turnUid} />;
        const { part, text, complete } = segment;
        const shown = { uid: row.message.uid, part, text, complete };
        return segment.kind === 'thinking' ? (
          <Thinking key={key} id={key} {...shown} thinking={row.message.thinking} />
        ) : (
          <div class="answer-text" key={key} data-part="text">
            <PartText {...shown} />
          </div>
        );
      })}
      {row.state === 'unsaved' && (
        <p class="notice notice-error" role="alert">
          <Icon name="error" />
          <span class="notice-body">{t('Part of this answer is not saved. Copy it before you close this view.')}</span>
        </p>
      )}
    </>
  );
});

/** One answer of the model: thinking, text and tool calls in the order in which they arrived. */
export function Answer({ row, startedAt, head, folded = false, hidden = false, children }: AnswerProps) {
  const chat = useChat();
  const { message, state } = row;
  const now = chat.timers.nowMs() / 1000;
  const time = clockTime(message.row?.createdAt ?? startedAt ?? now, now);
  return (
    <article
      class={`message${folded ? ' folded' : ''}`}
      aria-label={t('Hermes, {time}', { time })}
      data-uid={message.uid}
      data-state={state}
      tabIndex={-1}
      hidden={hidden}
    >
      {head}
      <div class="answer" hidden={folded}>
        <AnswerBody row={row} />
      </div>
      {children}
    </article>
  );
}

type Segment =
  | {
      readonly kind: 'text' | 'thinking';
      readonly key: string;
      readonly part: number;
      readonly text: string;
      readonly complete: boolean;
    }
  | { readonly kind: 'calls'; readonly key: string; readonly calls: readonly CallRow[] };

/** Returns the parts in order, with neighboring calls grouped and empty parts left out. */
function segments({ message, calls, state }: AnswerRow): readonly Segment[] {
  const rows = new Map(calls.map((row) => [row.call, row]));
  const found: Segment[] = [];
  message.parts.forEach((part, index) => {
    const key = `${message.uid}:${index}`;
    if (part.kind === 'text' || part.kind === 'thinking') {
      const complete = state !== 'streaming' || index < message.parts.length - 1;
      if (part.text !== '') found.push({ kind: part.kind, key, part: index, text: part.text, complete });
      return;
    }
    const row = part.kind === 'toolCall' ? rows.get(part) : undefined;
    if (row === undefined) return;
    const last = found.at(-1);
    if (last?.kind === 'calls') found[found.length - 1] = { ...last, calls: [...last.calls, row] };
    else found.push({ kind: 'calls', key, calls: [row] });
  });
  return found;
}

interface CallsProps {
  readonly id: string;
  readonly calls: readonly CallRow[];
  readonly turnUid: string | null;
}

function Calls({ id, calls, turnUid }: CallsProps) {
  const all = calls.flatMap((row) => [row, ...(row.updates ?? [])]);
  if (folds(all)) return <FoldedCalls id={id} calls={all} turnUid={turnUid} />;
  return (
    <>
      {calls.map((row) =>
        row.updates === undefined ? (
          <ToolRow key={row.call.callId} row={row} turnUid={turnUid} />
        ) : (
          <FoldedCalls
            key={row.call.callId}
            id={todosFoldKey(row.call.callId)}
            calls={[row, ...row.updates]}
            turnUid={turnUid}
          />
        ),
      )}
    </>
  );
}

function FoldedCalls({ id, calls, turnUid }: CallsProps) {
  const chat = useChat();
  const open = chat.part(FoldState).open.value.has(id);
  return (
    <div class="reads">
      <FoldButton open={open} toggle={() => chat.part(FoldState).toggle(id)}>
        <span dir="auto">{groupLabel(calls.map(({ call }) => call))}</span>
      </FoldButton>
      {open && (
        <div class="reads-open">
          {calls.map((row) => (
            <ToolRow key={row.call.callId} row={row} turnUid={turnUid} />
          ))}
        </div>
      )}
    </div>
  );
}

interface ThinkingProps extends PartTextProps {
  readonly id: string;
  readonly thinking: AnswerRow['message']['thinking'];
}

function Thinking({ id, thinking, ...part }: ThinkingProps) {
  const chat = useChat();
  const text = useLiveText(part);
  const live = !part.complete;
  const open = chat.part(FoldState).open.value.has(id);
  const watched = thinking === null || thinking.until === null ? null : thinking.until - thinking.from;
  useEffect(() => {
    if (watched !== null) chat.part(Thoughts).note(part.uid, watched);
  }, [watched]);
  return (
    <div class="thinking">
      <FoldButton open={open} toggle={() => chat.part(FoldState).toggle(id)}>
        <span class={live ? 'shimmer' : ''} dir="auto">
          {thinkingLabel(live, watched ?? chat.part(Thoughts).of(part.uid))}
        </span>
      </FoldButton>
      {live && !open && (
        <div class="thinking-now" aria-hidden="true" dir="auto">
          <span>{lastLine(text)}</span>
        </div>
      )}
      {/* Stays in the page even while folded, so that find in page and Verify see everything delivered. */}
      <div class="thinking-text" hidden={!open} data-part="thinking" dir="auto">
        {text}
      </div>
    </div>
  );
}

/** Returns the last line of the thinking so far. Hundreds of lines per second may arrive, so it searches only the
 *  last 300 characters: more than one line can show. */
function lastLine(text: string): string {
  const end = text.slice(-300).trimEnd();
  return end.slice(end.lastIndexOf('\n') + 1);
}

/** `ms`: null when the view did not watch the thinking. */
function thinkingLabel(live: boolean, ms: number | null): string {
  if (live) return t('Thinking…');
  if (ms === null) return t('Thought');
  return ms < 1000 ? t('Thought for <1 s') : t('Thought for {duration}', { duration: duration(ms) });
}

/** Remembers how long the model thought in the messages that this view watched, so that a reload still shows it. */
class Thoughts {
  private known: ViewMemory['thoughts'];

  constructor(private readonly chat: Chat) {
    this.known = chat.memory.recalled.thoughts;
  }

  /** Returns milliseconds; null for a message that the view did not watch. */
  of(uid: string): number | null {
    return this.known.find((thought) => thought.uid === uid)?.ms ?? null;
  }

  note(uid: string, ms: number): void {
    if (this.of(uid) !== null) return;
    this.known = [{ uid, ms }, ...this.known].slice(0, mostRemembered);
    this.chat.memory.remember({ thoughts: [...this.known] });
  }
}

interface PartTextProps {
  readonly uid: string;
  /** Index of the part in the message. */
  readonly part: number;
  /** Its text when the surrounding answer rendered. */
  readonly text: string;
  readonly complete: boolean;
}

/** Text of an answer's part as Markdown. Grows without re-rendering the answer around it. */
function PartText(props: PartTextProps) {
  const chat = useChat();
  return <Markdown text={useLiveText(props)} complete={props.complete} actions={chat.markdown} />;
}

/** Returns the current text of a part. */
function useLiveText({ uid, part, text, complete }: PartTextProps): string {
  const chat = useChat();
  const live = useComputed(() => textOf(chat.state.value.conversation, uid, part));
  return complete ? text : (live.value ?? text);
}

function textOf(conversation: Conversation | null, uid: string, index: number): string | null {
  const part = conversation?.messages.findLast((live) => live.uid === uid)?.parts[index];
  return part?.kind === 'text' || part?.kind === 'thinking' ? part.text : null;
}
