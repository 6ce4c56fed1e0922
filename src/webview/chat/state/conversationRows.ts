import { hookRunsIn, isObjection } from '../../../transcript/hookRun';
import { isContinuation } from '../../../transcript/continuation';
import { isMadeUpResult } from '../../../transcript/storedText';
import type { ChangedFile } from '../../../transcript/changedFile';
import type { Part, ToolCallPart, ToolResultPart } from '../../../transcript/part';
import type { Recalled, Turn } from '../../../transcript/turn';
import type { TurnActivity } from '../../../transcript/turnEvent';
import { isRunningResult } from '../../toolDetails';
import { isLowValueRead, type ToolState } from '../../toolLabels';
import type { ShownAnswer } from '../../turnLabels';
import type { Conversation, LiveActivity } from './conversation';
import { deliveredLength, type LiveMessage } from './liveMessage';
import { noWork, type CallProgress, type TurnWork } from './turnWork';

type ArticleState = 'streaming' | 'saved' | 'interrupted' | 'failed' | 'unsaved';

/** A stored or streaming answer with the results of its calls. */
export interface AnswerRow {
  readonly kind: 'answer';
  readonly key: string;
  readonly message: LiveMessage;
  readonly state: ArticleState;
  readonly calls: readonly CallRow[];
}

export interface CallRow {
  readonly call: ToolCallPart;
  readonly result: ToolResultPart | null;
  readonly state: ToolState;
  /** Seconds since the epoch; only for a running call. */
  readonly startedAt: number | null;
  /** Progress while the call runs. */
  readonly progress: CallProgress | null;
  /** Later updates of the todo list in the same turn, which fold into this row. Absent: none. */
  readonly updates?: readonly CallRow[];
}

/** Consecutive answers that only read. */
export interface ReadsRow {
  readonly kind: 'reads';
  readonly key: string;
  readonly answers: readonly AnswerRow[];
}

/** Between two answers of a turn. steering: a message that the user sent while it ran · summary: replaces the messages
 *  above it. */
interface Between<Kind> {
  readonly kind: Kind;
  readonly key: string;
  readonly message: LiveMessage;
}

type BetweenRow = Between<'steering'> | Between<'summary'>;

type SingleRow = AnswerRow | BetweenRow;

type FeedRow = SingleRow | ReadsRow;

/** A prompt with everything that answers it. */
export interface TurnBlock {
  readonly key: string;
  readonly turn: Turn | null;
  /** Not a turn: the summary that replaces the messages above it. */
  readonly summary: LiveMessage | null;
  readonly prompt: LiveMessage | null;
  readonly rows: readonly FeedRow[];
  /** For the running turn only. */
  readonly activity: LiveActivity | null;
  readonly isLast: boolean;
  /** True when it was cut off and continues in the turn below. */
  readonly isContinued: boolean;
  /** Turns in which its prompt was asked, oldest first; empty for a prompt asked once. */
  readonly versions: readonly string[];
  /** Memories recalled for its prompt. */
  readonly recalled: readonly Recalled[];
  /** For the running turn: the current step and the maximum. */
  readonly steps: TurnWork['steps'];
  readonly changes: readonly ChangedFile[];
  /** Inputs of this block: as long as they are the same, the block stays the same object and does not re-render. */
  readonly sources: readonly unknown[];
}

/** Number of adjacent reads from which they fold into one row. */
const foldedReads = 3;

const once: readonly string[] = [];

const nothing: readonly Recalled[] = [];

const unchanged: readonly ChangedFile[] = [];

/** Builds the blocks of the feed: messages by turn, tool results joined to their calls, without hidden and closing
 *  rows. Pure; `previous` is the last result, whose unchanged blocks are reused. */
export function conversationBlocks(conversation: Conversation, previous: readonly TurnBlock[]): readonly TurnBlock[] {
  const groups = groupByTurn(conversation);
  const known = new Map(previous.map((block) => [block.key, block]));
  const last = groups.findLast(({ messages }) => !messages.every(isSummary));
  return groups.map((group, index) => {
    const { key, turn, messages } = group;
    const isLast = group === last;
    const activity =
      turn !== null && turn.state !== 'settled' && conversation.activity?.turnUid === turn.uid
        ? conversation.activity
        : null;
    const ofTurn = <T>(known: ReadonlyMap<string, T>): T | undefined => known.get(turn?.uid ?? '');
    const versions = ofTurn(conversation.versions) ?? once;
    const recalled = turn?.recalled ?? ofTurn(conversation.recalled) ?? nothing;
    const work = ofTurn(conversation.work) ?? noWork;
    const changes = ofTurn(conversation.changes) ?? unchanged;
    const asking = conversation.approval?.subAgent ?? conversation.approval;
    const asked = asking?.turnUid === turn?.uid ? (asking?.callId ?? null) : null;
    const isContinued = turn?.state === 'settled' && isContinuationOf(groups[index + 1]);
    const sources = [turn, activity, isLast, isContinued, versions, recalled, work, changes, asked, ...messages];
    const before = known.get(key);
    if (before !== undefined && sameItems(before.sources, sources)) return before;
    const summary = messages.every(isSummary) ? (messages[0] ?? null) : null;
    const prompt = summary === null && messages[0]?.role === 'user' ? messages[0] : null;
    const answers = answerRows(messages, { turn, activity: activity?.activity ?? null, work, asked }, before);
    const between = messages
      .filter((live) => live.role === 'user' && live !== prompt && live !== summary)
      .map(betweenAnswers);
    return {
      key,
      turn,
      summary,
      prompt,
      rows: groupReads(inPlace(messages, answers, between)),
      activity,
      isLast,
      isContinued,
      versions,
      recalled,
      steps: work.steps,
      changes,
      sources,
    };
  });
}

function isSummary(live: LiveMessage): boolean {
  return live.row?.visibility.kind === 'handoff';
}

/** True when its prompt is the synthetic "continue" prompt. */
function isContinuationOf(group: Group | undefined): boolean {
  const prompt = group?.messages[0];
  return prompt !== undefined && isContinuation(prompt);
}

export function answersIn(row: FeedRow): readonly AnswerRow[] {
  switch (row.kind) {
    case 'answer':
      return [row];
    case 'reads':
      return row.answers;
    case 'steering':
    case 'summary':
      return [];
    default:
      return row satisfies never;
  }
}

/** Returns the amount of the answer that a block shows. */
export function shownAnswer(block: TurnBlock): ShownAnswer {
  return shownIn(block.rows.flatMap((row) => answersIn(row).flatMap((answer) => answer.message.parts)));
}

/** The same for the parts of an answer. Counts words as a reader would. */
export function shownIn(parts: readonly Part[]): ShownAnswer {
  return {
    wordCount: parts.reduce(
      (sum, part) => sum + (part.kind === 'text' ? (part.text.match(/\S+/g)?.length ?? 0) : 0),
      0,
    ),
    hasThinking: parts.some((part) => part.kind === 'thinking' && part.text.trim() !== ''),
    hasCalls: parts.some(({ kind }) => kind === 'toolCall'),
  };
}

interface Group {
  readonly key: string;
  readonly turn: Turn | null;
  readonly messages: LiveMessage[];
}

function groupByTurn(conversation: Conversation): readonly Group[] {
  const turnOfPrompt = new Map([...conversation.turns.values()].map((turn) => [turn.userMessageUid, turn.uid]));
  const groups = new Map<string, Group>();
  for (const live of conversation.messages) {
    if (live.row !== null && live.row.visibility.kind !== 'shown' && !isSummary(live)) continue;
    const turnUid = turnOfPrompt.get(live.uid) ?? (isSummary(live) ? turnAround(live, conversation) : live.turnUid);
    const key = turnUid ?? live.uid;
    const group = groups.get(key) ?? {
      key,
      turn: (turnUid === null ? undefined : conversation.turns.get(turnUid)) ?? null,
      messages: [],
    };
    group.messages.push(live);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Returns the turn that was compressed in its middle: it continues after the summary, or still runs. Null for a
 *  summary between two turns. */
function turnAround(summary: LiveMessage, { messages, turns }: Conversation): string | null {
  const index = messages.indexOf(summary);
  const ahead = messages.findLast((live, at) => at < index && live.turnUid !== null)?.turnUid ?? null;
  if (ahead === null) return null;
  const isContinuationOf =
    turns.get(ahead)?.state === 'running' || messages.some((live, at) => at > index && live.turnUid === ahead);
  return isContinuationOf ? ahead : null;
}

/** State of a turn apart from its rows. */
interface TurnState {
  readonly turn: Turn | null;
  readonly activity: TurnActivity | null;
  readonly work: TurnWork;
  /** The call that awaits the user's approval. */
  readonly asked: string | null;
}

function answerRows(
  messages: readonly LiveMessage[],
  state: TurnState,
  before: TurnBlock | undefined,
): readonly AnswerRow[] {
  const { turn } = state;
  const results = new Map(
    messages
      .flatMap((live) => live.parts)
      .flatMap((part) => (part.kind === 'toolResult' ? [[part.callId, part] as const] : [])),
  );
  // Only a repair can have created a result in a turn that ended well: the call had none.
  const made = new Set(
    messages.flatMap(({ row }) => (row?.role === 'tool' && isMadeUpResult(row) ? [row.parts[0].callId] : [])),
  );
  const known = new Map(before?.rows.flatMap(answersIn).map((row) => [row.key, row]));
  const answers = messages.filter((live) => live.role === 'assistant' && hasContent(live));
  const callsOf = withTodosTogether(
    answers.map(({ parts }) =>
      parts.flatMap((part) =>
        part.kind === 'toolCall' ? [callRow(part, results.get(part.callId) ?? null, made, state)] : [],
      ),
    ),
  );
  return answers.map((message, index) => {
    const calls = callsOf[index] ?? [];
    const article = articleState(message, turn, index === answers.length - 1);
    const same = known.get(message.uid);
    if (same?.message === message && same.state === article && sameCalls(same.calls, calls)) return same;
    return { kind: 'answer', key: message.uid, message, state: article, calls };
  });
}

/** Moves all successful updates of the todo list into the row of the first one. */
function withTodosTogether(answers: readonly (readonly CallRow[])[]): readonly (readonly CallRow[])[] {
  const [first, ...updates] = answers.flat().filter(isTodoUpdate);
  if (first === undefined || updates.length === 0) return answers;
  return answers.map((calls) =>
    calls.flatMap((row) => (row === first ? [{ ...row, updates }] : updates.includes(row) ? [] : [row])),
  );
}

function isTodoUpdate({ call, state }: CallRow): boolean {
  return state === 'done' && call.name === 'todo_write';
}

/** True for an answer without text whose calls are all shown in earlier rows. */
export function isShownElsewhere({ message, state, calls }: AnswerRow): boolean {
  return state === 'saved' && calls.length === 0 && deliveredLength(message.parts) === 0;
}

function hasContent(live: LiveMessage): boolean {
  return deliveredLength(live.parts) > 0 || live.parts.some((part) => part.kind === 'toolCall');
}

function callRow(
  call: ToolCallPart,
  result: ToolResultPart | null,
  made: ReadonlySet<string>,
  { turn, activity, work, asked }: TurnState,
): CallRow {
  const row = (state: ToolState, startedAt: number | null = null, progress: CallProgress | null = null): CallRow => ({
    call,
    result,
    state,
    startedAt,
    progress,
  });
  const isSettled = turn === null || turn.state === 'settled';
  if (result !== null && !isSettled && isRunningResult(result))
    return asked === call.callId ? row('waiting') : row('running', work.calls.get(call.callId)?.startedAt ?? null);
  if (result !== null) {
    const isRepaired = made.has(call.callId) && turn?.state === 'settled' && turn.outcome === 'complete';
    // Otherwise the user denied it, or a rule of theirs.
    const isBlocked = result.outcome === 'denied' && hookRunsIn(result.details).some(isObjection);
    return row(isRepaired ? 'repaired' : isBlocked ? 'blocked' : result.outcome);
  }
  if (isSettled) return row('interrupted');
  if (asked === call.callId) return row('waiting');
  const progress = work.calls.get(call.callId) ?? null;
  if (activity?.kind === 'runningTool' && activity.callId === call.callId)
    return row('running', activity.startedAt, progress);
  if (progress !== null && progress.startedAt !== null) return row('running', progress.startedAt, progress);
  return row(turn.state === 'waiting' && asked === null ? 'waiting' : 'queued');
}

function articleState(message: LiveMessage, turn: Turn | null, isLast: boolean): ArticleState {
  if (message.unsaved) return 'unsaved';
  if (turn?.state === 'settled') return isLast && turn.outcome !== 'complete' ? turn.outcome : 'saved';
  return message.final ? 'saved' : 'streaming';
}

function betweenAnswers(message: LiveMessage): BetweenRow {
  return { kind: isSummary(message) ? 'summary' : 'steering', key: message.uid, message };
}

function inPlace(
  messages: readonly LiveMessage[],
  answers: readonly AnswerRow[],
  between: readonly BetweenRow[],
): readonly SingleRow[] {
  if (between.length === 0) return answers;
  return [...answers, ...between].sort((a, b) => messages.indexOf(a.message) - messages.indexOf(b.message));
}

function groupReads(answers: readonly SingleRow[]): readonly FeedRow[] {
  const rows: FeedRow[] = [];
  let run: AnswerRow[] = [];
  const close = (): void => {
    const first = run[0];
    if (first !== undefined && run.length > 1 && folds(run.flatMap(({ calls }) => calls)))
      rows.push({ kind: 'reads', key: `reads-${first.key}`, answers: run });
    else rows.push(...run);
    run = [];
  };
  for (const answer of answers) {
    if (answer.kind === 'answer' && onlyReads(answer)) run.push(answer);
    else {
      close();
      rows.push(answer);
    }
  }
  close();
  return rows;
}

function onlyReads(answer: AnswerRow): boolean {
  const text = answer.message.parts.filter((part) => part.kind === 'text');
  const hasCalls = answer.message.parts.some((part) => part.kind === 'toolCall');
  return answer.state === 'saved' && hasCalls && deliveredLength(text) === 0 && answer.calls.every(isFoldable);
}

/** True for neighboring calls that fold into one line. A todo list folds with whatever is next to it. */
export function folds(calls: readonly CallRow[]): boolean {
  const least = calls.some(({ call }) => call.name === 'todo_write') ? 2 : foldedReads;
  return calls.length >= least && calls.every(isFoldable);
}

/** True for a successful call that users need not inspect one by one. */
function isFoldable(row: CallRow): boolean {
  return row.state === 'done' && isLowValueRead(row.call.name);
}

function sameCalls(left: readonly CallRow[], right: readonly CallRow[]): boolean {
  const items = (rows: readonly CallRow[]): readonly unknown[] =>
    rows.flatMap((row) => [row.call, row.result, row.state, row.startedAt, row.progress, ...items(row.updates ?? [])]);
  return sameItems(items(left), items(right));
}

function sameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => Object.is(item, right[index]));
}
