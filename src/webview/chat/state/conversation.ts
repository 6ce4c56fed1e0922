import type { ChatResults, SessionOrigin, ShownSession } from '../../../protocol/chatProtocol';
import type { Approval, Mode } from '../../../transcript/approval';
import type { ChangedFile } from '../../../transcript/changedFile';
import type { Chunk, Message } from '../../../transcript/message';
import type { PromptVersions, Recalled, Turn } from '../../../transcript/turn';
import type { QueuedPrompt, Session } from '../../../transcript/session';
import type { TurnActivity, TurnEvent } from '../../../transcript/turnEvent';
import { isContinuation } from '../../../transcript/continuation';
import { noWork, withActivity, withProgress, type TurnWork } from './turnWork';
import {
  applyChunks,
  deliveredLength,
  emptyMessage,
  fromRow,
  markMissing,
  mergeRow,
  type LiveMessage,
  type RowSource,
} from './liveMessage';

/** The shown session, as far as this view knows it. */
export interface Conversation {
  readonly session: Session;
  /** In the order of the transcript; messages known only by chunks come last. */
  readonly messages: readonly LiveMessage[];
  readonly turns: ReadonlyMap<string, Turn>;
  /** Versions of prompts asked several times: the turns of all of them, oldest first, by the turn that is shown. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  readonly origin: SessionOrigin | null;
  readonly hasEarlier: boolean;
  readonly queue: readonly QueuedPrompt[];
  readonly activity: LiveActivity | null;
  /** Memories recalled for the prompts of turns, as far as this view knows. */
  readonly recalled: ReadonlyMap<string, readonly Recalled[]>;
  /** Approval that the open turn waits for. */
  readonly approval: Approval | null;
  readonly mode: Mode;
  /** Progress of the running turns. */
  readonly work: ReadonlyMap<string, TurnWork>;
  /** Files that turns changed, as far as this view knows. */
  readonly changes: ReadonlyMap<string, readonly ChangedFile[]>;
}

export interface LiveActivity {
  /** Null for an activity between two turns. */
  readonly turnUid: string | null;
  readonly activity: TurnActivity;
  /** Milliseconds on the view's clock, from which elapsed times continue. */
  readonly receivedAt: number;
}

export function conversationFrom(shown: ShownSession, now: number): Conversation {
  const { openTurn, activity, changes } = shown;
  const turns = openTurn === null ? shown.turns : [...shown.turns, openTurn];
  return {
    session: shown.session,
    messages: inOrder(shown.messages.map(fromRow)),
    turns: turns.reduce(withTurn, new Map()),
    versions: withVersions(new Map(), shown.versions),
    origin: shown.origin,
    hasEarlier: shown.hasEarlier,
    queue: shown.queue,
    activity: activity === null ? null : { turnUid: openTurn?.uid ?? null, activity, receivedAt: now },
    recalled: new Map(),
    approval: shown.approval,
    mode: shown.mode,
    work:
      openTurn === null || activity === null ? new Map() : new Map([[openTurn.uid, withActivity(noWork, activity)]]),
    changes: new Map(Object.entries(changes)),
  };
}

/** Merges a snapshot of the session already shown, or of the segment in which it continues. The snapshot decides
 *  which rows exist. It never shortens a message that grew meanwhile, and never drops earlier pages, the open turn's
 *  rows, or text known to be missing on disk. */
export function mergeSnapshot(current: Conversation, shown: ShownSession, now: number): Conversation {
  const snapshot = conversationFrom(shown, now);
  // Rows were hidden or restored: of the old state, keep only text that exists nowhere else.
  const outdated = shown.changed;
  const listed = new Set(shown.messages.map((message) => message.uid));
  const first = snapshot.messages[0];
  const kept = current.messages.filter(
    (live) =>
      !listed.has(live.uid) &&
      (live.unsaved ||
        isOf(live, shown.openTurn) ||
        (!outdated && shown.hasEarlier && first !== undefined && place(live) < place(first))),
  );
  const known = new Map(current.messages.map((live) => [live.uid, live]));
  const merged = shown.messages.map((row) => mergeKnown(known.get(row.uid), row, 'row', now));
  const reachesFurther = kept.some((live) => first !== undefined && place(live) < place(first));
  return {
    ...snapshot,
    messages: inOrder([...kept, ...merged]),
    turns: [...snapshot.turns.values()].reduce(withTurn, current.turns),
    recalled: current.recalled,
    work: keptWork(current.work, snapshot.work),
    changes: new Map([...current.changes, ...snapshot.changes]),
    versions: outdated ? snapshot.versions : withVersions(current.versions, shown.versions),
    hasEarlier: reachesFurther && !outdated ? current.hasEarlier : shown.hasEarlier,
  };
}

export function applyTurnEvent(conversation: Conversation, event: TurnEvent, now: number): Conversation {
  switch (event.kind) {
    case 'turnOpened':
      return withRows(opened(conversation, event.turn), [event.userMessage], 'row', now);
    case 'delivered':
      return withChunks(conversation, event.turnUid, event.chunks, now);
    case 'messageStored':
      return withRows(conversation, [event.message], 'row', now);
    case 'activity':
      if (conversation.turns.get(event.turnUid)?.state === 'settled') return conversation;
      return {
        ...withWork(conversation, event.turnUid, (work) => withActivity(work, event.activity)),
        activity: isStillRetrying(conversation.activity, event)
          ? conversation.activity
          : { turnUid: event.turnUid, activity: event.activity, receivedAt: now },
      };
    case 'approvalRequested':
      return asked({ ...conversation, turns: withTurn(conversation.turns, event.turn) }, event.approval);
    case 'approvalDecided':
      return decided({ ...conversation, turns: withTurn(conversation.turns, event.turn) }, event.approval.id);
    case 'subAgentAsks':
      return subAgentAsks(conversation, event.turnUid, event.approval);
    case 'toolProgress':
      return withWork(conversation, event.turnUid, (work) => withProgress(work, event.callId, event.progress));
    case 'recalled':
      return { ...conversation, recalled: new Map(conversation.recalled).set(event.turnUid, event.found) };
    case 'turnSettled':
      return settle(conversation, event.turn, event.messages, now);
  }
}

/** True for the request of a retry: the reason for it stays in view until something arrives. */
function isStillRetrying(
  current: LiveActivity | null,
  { turnUid, activity }: Extract<TurnEvent, { kind: 'activity' }>,
): boolean {
  return activity.kind === 'requesting' && current?.activity.kind === 'retrying' && current.turnUid === turnUid;
}

/** Sets or clears (null) a compression between two turns. */
export function withCompressing(conversation: Conversation, activity: TurnActivity | null, now: number): Conversation {
  if (activity !== null) return { ...conversation, activity: { turnUid: null, activity, receivedAt: now } };
  return conversation.activity?.turnUid === null ? { ...conversation, activity: null } : conversation;
}

/** The user has decided, here or elsewhere: removes the request. */
export function decided(conversation: Conversation, approvalId: string): Conversation {
  return conversation.approval?.id === approvalId ? { ...conversation, approval: null } : conversation;
}

/** Sets the current state of the files a turn changed. */
export function withChanges(conversation: Conversation, turnUid: string, files: readonly ChangedFile[]): Conversation {
  return { ...conversation, changes: new Map(conversation.changes).set(turnUid, files) };
}

/** True when turns from this one on may have changed files that are not all reverted: visible turns, and prompt
 *  versions that are not visible. */
export function mayHaveChangedFiles({ messages, changes, versions }: Conversation, turnUid: string): boolean {
  const from = messages.findIndex((live) => live.turnUid === turnUid);
  const after = new Set(messages.slice(Math.max(0, from)).flatMap((live) => live.turnUid ?? []));
  return [...after].some(
    (uid) => versions.has(uid) || changes.get(uid)?.some(({ state }) => state !== 'reverted') === true,
  );
}

/** Applies the response to `readMessage`. */
export function applyRead(conversation: Conversation, uid: string, message: Message | null, now: number): Conversation {
  if (message !== null) return withRows(conversation, [message], 'read', now);
  return {
    ...conversation,
    messages: conversation.messages.map((live) => (live.uid === uid ? markMissing(live) : live)),
  };
}

export function prependPage(conversation: Conversation, page: ChatResults['loadEarlier'], now: number): Conversation {
  const turns = page.turns.reduce(withTurn, conversation.turns);
  const versions = withVersions(conversation.versions, page.versions);
  const changes = new Map([...Object.entries(page.changes), ...conversation.changes]);
  return {
    ...withRows({ ...conversation, turns, versions, changes }, page.messages, 'row', now),
    hasEarlier: page.hasEarlier,
  };
}

/** Counts the turns from this prompt on, as a user would: a continued answer is one turn. */
export function turnsFrom({ messages }: Conversation, promptUid: string): number {
  const after = messages.slice(messages.findIndex(({ uid }) => uid === promptUid));
  const continued = new Set(after.filter(isContinuation).map(({ turnUid }) => turnUid));
  return new Set(after.flatMap(({ turnUid }) => (turnUid === null || continued.has(turnUid) ? [] : [turnUid]))).size;
}

/** Returns the turn that runs or waits now, if any. */
export function openTurn(conversation: Conversation): Turn | null {
  return [...conversation.turns.values()].findLast((turn) => turn.state !== 'settled') ?? null;
}

/** Returns messages whose stored row must be read. */
export function messagesInDoubt(conversation: Conversation): readonly string[] {
  return conversation.messages.filter((live) => live.inDoubt).map((live) => live.uid);
}

// A request of a settled turn is already answered.
function asked(conversation: Conversation, approval: Approval): Conversation {
  return conversation.turns.get(approval.turnUid)?.state === 'settled' || approval.state.kind !== 'pending'
    ? conversation
    : { ...conversation, approval };
}

/** Sets or clears a sub-agent's request: none is left, or the next of several sub-agents asks. Leaves the turn's own
 *  request alone. */
function subAgentAsks(conversation: Conversation, turnUid: string, approval: Approval | null): Conversation {
  if (approval !== null)
    return conversation.turns.get(turnUid)?.state === 'settled' ? conversation : { ...conversation, approval };
  return conversation.approval?.subAgent?.turnUid === turnUid ? { ...conversation, approval: null } : conversation;
}

function withWork(conversation: Conversation, turnUid: string, change: (work: TurnWork) => TurnWork): Conversation {
  if (conversation.turns.get(turnUid)?.state === 'settled') return conversation;
  const before = conversation.work.get(turnUid) ?? noWork;
  const after = change(before);
  return after === before ? conversation : { ...conversation, work: new Map(conversation.work).set(turnUid, after) };
}

// A snapshot knows less about running turns than the view that watched them.
function keptWork(
  known: ReadonlyMap<string, TurnWork>,
  snapshot: ReadonlyMap<string, TurnWork>,
): ReadonlyMap<string, TurnWork> {
  return new Map([...snapshot].map(([turnUid, work]) => [turnUid, known.get(turnUid) ?? work]));
}

/** Opens a turn. A prompt that is asked again replaces its earlier version and everything after that; no other event
 *  says so. */
function opened(conversation: Conversation, turn: Turn): Conversation {
  const { messages, turns, versions } = conversation;
  const earlier = turn.supersedes;
  const next = { ...conversation, turns: withTurn(turns, turn) };
  // The new version may have been announced before its turn began.
  if (earlier === null || [...versions.values()].some((known) => known.includes(turn.uid))) return next;
  const from = messages.findIndex((live) => live.turnUid === earlier);
  const shown = new Map(versions).set(turn.uid, [...(versions.get(earlier) ?? [earlier]), turn.uid]);
  shown.delete(earlier);
  return {
    ...next,
    versions: shown,
    messages: from === -1 ? messages : messages.filter((live, index) => index < from || live.turnUid === turn.uid),
  };
}

/** True when another version of its prompt is shown: later events of this turn belong to hidden rows. */
function isSuperseded({ versions }: Conversation, turnUid: string | null): boolean {
  return (
    turnUid !== null &&
    versions.size > 0 &&
    [...versions].some(([shown, known]) => shown !== turnUid && known.includes(turnUid))
  );
}

function withVersions(
  known: ReadonlyMap<string, readonly string[]>,
  more: readonly PromptVersions[],
): ReadonlyMap<string, readonly string[]> {
  return more.length === 0
    ? known
    : new Map([...known, ...more.map(({ turnUid, versions }) => [turnUid, versions] as const)]);
}

function settle(conversation: Conversation, turn: Turn, rows: readonly Message[], now: number): Conversation {
  const listed = new Set(rows.map((row) => row.uid));
  const stored = withRows({ ...conversation, turns: withTurn(conversation.turns, turn) }, rows, 'row', now);
  const messages = stored.messages
    .filter((live) => !isOf(live, turn) || listed.has(live.uid) || live.row !== null || deliveredLength(live.parts) > 0)
    // Shown but not among the rows of the turn: read the row from disk before reporting anything.
    .map((live) =>
      isOf(live, turn) && live.role === 'assistant' && !listed.has(live.uid)
        ? { ...live, final: true, inDoubt: !live.unsaved }
        : live,
    );
  const work = new Map([...stored.work].filter(([uid]) => uid !== turn.uid));
  const asking = stored.approval?.subAgent?.turnUid ?? stored.approval?.turnUid;
  const approval = asking === turn.uid ? null : stored.approval;
  return {
    ...stored,
    messages,
    work,
    approval,
    activity: stored.activity?.turnUid === turn.uid ? null : stored.activity,
  };
}

function withChunks(conversation: Conversation, turnUid: string, chunks: readonly Chunk[], now: number): Conversation {
  const byMessage = new Map<string, Chunk[]>();
  for (const chunk of chunks) byMessage.set(chunk.messageUid, [...(byMessage.get(chunk.messageUid) ?? []), chunk]);
  let messages = conversation.messages;
  for (const [uid, own] of byMessage) {
    const live = messages.findLast((other) => other.uid === uid);
    if (live === undefined && isSuperseded(conversation, turnUid)) continue;
    messages = replaced(messages, applyChunks(live ?? emptyMessage(uid, turnUid), own, now));
  }
  return messages === conversation.messages ? conversation : { ...conversation, messages };
}

function withRows(conversation: Conversation, rows: readonly Message[], source: RowSource, now: number): Conversation {
  if (rows.length === 0) return conversation;
  const known = new Map(conversation.messages.map((live) => [live.uid, live]));
  for (const row of rows) {
    const live = known.get(row.uid);
    if (live !== undefined || !isSuperseded(conversation, row.turnUid))
      known.set(row.uid, mergeKnown(live, row, source, now));
  }
  return { ...conversation, messages: inOrder([...known.values()]) };
}

function mergeKnown(live: LiveMessage | undefined, row: Message, source: RowSource, now: number): LiveMessage {
  return live === undefined ? fromRow(row) : mergeRow(live, row, source, now);
}

function replaced(messages: readonly LiveMessage[], next: LiveMessage): readonly LiveMessage[] {
  const index = messages.findLastIndex((live) => live.uid === next.uid);
  if (index === -1) return [...messages, next];
  return messages[index] === next ? messages : messages.with(index, next);
}

// A settled turn stays settled, even if older events arrive later.
function withTurn(turns: ReadonlyMap<string, Turn>, turn: Turn): ReadonlyMap<string, Turn> {
  const known = turns.get(turn.uid);
  return known?.state === 'settled' && turn.state !== 'settled' ? turns : new Map(turns).set(turn.uid, turn);
}

function isOf(live: LiveMessage, turn: Turn | null): boolean {
  return turn !== null && live.turnUid === turn.uid;
}

function place(live: LiveMessage): number {
  return live.row?.position ?? Number.POSITIVE_INFINITY;
}

// If neither row has a position, the subtraction would be Infinity - Infinity: such messages keep their order of
// arrival.
function inOrder(messages: readonly LiveMessage[]): readonly LiveMessage[] {
  return [...messages].sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}
