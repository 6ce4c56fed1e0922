import type { ChatResults, SessionOrigin, ShownSession } from '../../../protocol/chatProtocol';
import type {
  Approval,
  ChangedFile,
  Chunk,
  Message,
  Mode,
  PromptVersions,
  QueuedPrompt,
  Recalled,
  Session,
  Turn,
  TurnActivity,
  TurnEvent,
} from '../../../protocol/transcriptTypes';
import { isContinuation } from '../../../protocol/transcriptTypes';
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

/** The session the view shows, as far as it was told about it. */
export interface Conversation {
  readonly session: Session;
  /** In the order of the transcript; messages known only by chunks come last. */
  readonly messages: readonly LiveMessage[];
  readonly turns: ReadonlyMap<string, Turn>;
  /** Of prompts that were asked in several ways: the turns of all of them, oldest first, by the turn that is shown. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  readonly origin: SessionOrigin | null;
  readonly hasEarlier: boolean;
  readonly queue: readonly QueuedPrompt[];
  readonly activity: LiveActivity | null;
  /** What memory found for the prompts of turns, as far as this view was told. */
  readonly recalled: ReadonlyMap<string, readonly Recalled[]>;
  /** What the open turn waits for. */
  readonly approval: Approval | null;
  readonly mode: Mode;
  /** How far the turns that run have come. */
  readonly work: ReadonlyMap<string, TurnWork>;
  /** What turns changed in files, as far as this view was told. */
  readonly changes: ReadonlyMap<string, readonly ChangedFile[]>;
}

export interface LiveActivity {
  /** Null for what goes on between two turns. */
  readonly turnUid: string | null;
  readonly activity: TurnActivity;
  /** Milliseconds on the view's clock: elapsed times go on counting from here. */
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

/** A snapshot of the session that is already shown, or of the segment in which it goes on. It says which rows there are; it does not shorten one that went on meanwhile, nor drop
 *  earlier pages, the open turn's rows, or text that is known to be missing on disk. */
export function mergeSnapshot(current: Conversation, shown: ShownSession, now: number): Conversation {
  const snapshot = conversationFrom(shown, now);
  // Rows were hidden or brought back: of what was shown only the text that is nowhere else is kept.
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
        activity: { turnUid: event.turnUid, activity: event.activity, receivedAt: now },
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

/** A compression between two turns has begun, or ended (null). */
export function withCompressing(conversation: Conversation, activity: TurnActivity | null, now: number): Conversation {
  if (activity !== null) return { ...conversation, activity: { turnUid: null, activity, receivedAt: now } };
  return conversation.activity?.turnUid === null ? { ...conversation, activity: null } : conversation;
}

/** The person has decided, here or elsewhere: nothing is asked any more. */
export function decided(conversation: Conversation, approvalId: string): Conversation {
  return conversation.approval?.id === approvalId ? { ...conversation, approval: null } : conversation;
}

/** The files a turn changed as they stand now. */
export function withChanges(conversation: Conversation, turnUid: string, files: readonly ChangedFile[]): Conversation {
  return { ...conversation, changes: new Map(conversation.changes).set(turnUid, files) };
}

/** Whether turns from this one on may have changed files that are not all reverted: those in view, and versions of prompts that are not. */
export function mayHaveChangedFiles({ messages, changes, versions }: Conversation, turnUid: string): boolean {
  const from = messages.findIndex((live) => live.turnUid === turnUid);
  const behind = new Set(messages.slice(Math.max(0, from)).flatMap((live) => live.turnUid ?? []));
  return [...behind].some(
    (uid) => versions.has(uid) || changes.get(uid)?.some(({ state }) => state !== 'reverted') === true,
  );
}

/** The answer to `readMessage`. */
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

/** How many turns there are from this prompt on, as a person counts them: an answer that was continued is one. */
export function turnsFrom({ messages }: Conversation, promptUid: string): number {
  const behind = messages.slice(messages.findIndex(({ uid }) => uid === promptUid));
  const continued = new Set(behind.filter(isContinuation).map(({ turnUid }) => turnUid));
  return new Set(behind.flatMap(({ turnUid }) => (turnUid === null || continued.has(turnUid) ? [] : [turnUid]))).size;
}

/** The turn that runs or waits now, if any. */
export function openTurn(conversation: Conversation): Turn | null {
  return [...conversation.turns.values()].findLast((turn) => turn.state !== 'settled') ?? null;
}

/** Messages whose stored row must be read. */
export function messagesInDoubt(conversation: Conversation): readonly string[] {
  return conversation.messages.filter((live) => live.inDoubt).map((live) => live.uid);
}

// A question about a turn that is over is answered.
function asked(conversation: Conversation, approval: Approval): Conversation {
  return conversation.turns.get(approval.turnUid)?.state === 'settled' || approval.state.kind !== 'pending'
    ? conversation
    : { ...conversation, approval };
}

/** Nothing is asked any more, or the next one of several sub-agents asks. What the turn itself asks is not touched. */
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

// A snapshot knows less of what runs than the view that watched it.
function keptWork(
  known: ReadonlyMap<string, TurnWork>,
  snapshot: ReadonlyMap<string, TurnWork>,
): ReadonlyMap<string, TurnWork> {
  return new Map([...snapshot].map(([turnUid, work]) => [turnUid, known.get(turnUid) ?? work]));
}

/** A prompt that is asked again takes the place of its earlier version and of everything behind that; nothing else says so. */
function opened(conversation: Conversation, turn: Turn): Conversation {
  const { messages, turns, versions } = conversation;
  const earlier = turn.supersedes;
  const next = { ...conversation, turns: withTurn(turns, turn) };
  // What asks it again may have been told of before it began.
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

/** Another version of its prompt is shown: what is still told of it belongs to what was taken away. */
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
    // Shown, and not among the rows of the turn: the disk is asked before anything is said.
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

// A settled turn stays settled, whatever arrives late.
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

// Both rows without a place would make Infinity - Infinity: such messages keep the order they came in.
function inOrder(messages: readonly LiveMessage[]): readonly LiveMessage[] {
  return [...messages].sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}
