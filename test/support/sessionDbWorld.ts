import { type DiskOperation, SimulatedDisk } from './simulatedDisk';
import type { SqlJsDatabase } from '../../src/store/engine/sqlJsDatabase';
import { openDatabase } from '../../src/store/open/openDatabase';
import { migrate } from '../../src/store/schema/migrations';
import type { NewApproval } from '../../src/store/requests';
import { createSessionDb, type SessionDb } from '../../src/store/session/sessionDb';
import { StoreError, type StoreErrorCause } from '../../src/store/storeError';
import type { Chunk, NewMessage } from '../../src/transcript/message';
import type { PromptDraft } from '../../src/transcript/draftPart';
import type { AssistantPart, ToolOutcome } from '../../src/transcript/part';
import type { Settlement } from '../../src/transcript/turn';
import { putEmptyStore } from './emptyStore';
import { testSqlite } from './sqlite';

const folder = '/store';

export const complete: Settlement = { outcome: 'complete', stopReason: 'stop', failure: null };
export const stopped: Settlement = { outcome: 'interrupted', stopReason: 'user', failure: null };

/** A `SessionDb` on the real engine and a simulated disk, with a clock that a test moves. */
export interface SessionDbWorld {
  readonly db: SessionDb;
  readonly database: SqlJsDatabase;
  readonly disk: SimulatedDisk;
  readonly clock: { now: number };
  /** Other stores by folder, for `bringOver`. */
  readonly others: Map<string, SqlJsDatabase>;
  /** What the next process finds after the power failed now: only what was durable survives for certain. */
  reopened(): Promise<SessionDbWorld>;
}

/** `begin`: with an empty store, or with an empty disk, so that the log of the first process holds everything. */
export async function sessionDbWorld(
  disk = new SimulatedDisk(),
  clock = { now: 1000 },
  begin: 'emptyStore' | 'emptyDisk' = 'emptyStore',
  others = new Map<string, SqlJsDatabase>(),
): Promise<SessionDbWorld> {
  const now = (): number => clock.now;
  if (begin === 'emptyStore') await putEmptyStore(disk, folder);
  const { database } = openDatabase({
    sqlite: await testSqlite(),
    fileSystem: disk,
    folder,
    now,
  });
  migrate(database);
  const db = createSessionDb({
    database,
    now,
    fileSizes: () => database.sizes(),
    openOther: (place) => {
      const other = others.get(place);
      if (other === undefined) throw new Error(`There is no store in ${place}.`);
      return { database: other, close: () => undefined };
    },
  });
  return {
    db,
    database,
    disk,
    clock,
    others,
    reopened: () => {
      const found = disk.powerCut(alternating());
      database.abandon();
      return sessionDbWorld(found, clock, begin, others);
    },
  };
}

/** Every second thing that was not synced is lost. */
function alternating(): () => number {
  let turn = 0;
  return () => (turn++ % 2 === 0 ? 0.25 : 0.75);
}

export const prompt = (
  uid: string,
  text: string,
  turnUid: string,
  sessionId = 's1',
): NewMessage & { readonly role: 'user' } => ({
  uid,
  sessionId,
  turnUid,
  createdAt: 1,
  visibility: { kind: 'shown' },
  carriedFrom: null,
  role: 'user',
  parts: [{ kind: 'text', text }],
});

export const answer = (
  uid: string,
  parts: string | readonly AssistantPart[],
  turnUid: string,
  sessionId = 's1',
): NewMessage & { readonly role: 'assistant' } => ({
  uid,
  sessionId,
  turnUid,
  createdAt: 2,
  visibility: { kind: 'shown' },
  carriedFrom: null,
  role: 'assistant',
  parts: typeof parts === 'string' ? [{ kind: 'text', text: parts }] : parts,
  state: 'final',
  lastSeq: 0,
  model: 'Local/test',
  finishReason: 'stop',
  usage: null,
});

export const call = (callId: string, name = 'read_file'): AssistantPart => ({
  kind: 'toolCall',
  callId,
  name,
  arguments: '{}',
});

export const result = (
  uid: string,
  callId: string,
  text: string,
  turnUid: string,
  outcome: ToolOutcome = 'done',
): NewMessage => ({
  uid,
  sessionId: 's1',
  turnUid,
  createdAt: 3,
  visibility: { kind: 'shown' },
  carriedFrom: null,
  role: 'tool',
  parts: [{ kind: 'toolResult', callId, name: 'read_file', outcome, text }],
});

export const chunk = (
  messageUid: string,
  seq: number,
  start: number,
  text: string,
  part = 0,
  kind: 'text' | 'thinking' = 'text',
): Chunk => ({
  messageUid,
  seq,
  part,
  kind,
  start,
  text,
});

/** What a person is asked of call `c1` in row `m1` of turn `t1`. */
export const anApproval = (id: string, over: Partial<NewApproval> = {}): NewApproval => ({
  id,
  turnUid: 't1',
  sessionId: 's1',
  messageUid: 'm1',
  callId: 'c1',
  requestedAt: 4,
  request: {
    tool: 'run_command',
    access: { kind: 'run', command: 'git push', folder: { path: '/w', shown: '.', isInside: true }, shell: 'posix' },
    subject: 'git push',
    reasons: ['command'],
    rules: ['run(git push)'],
    preview: null,
  },
  ...over,
});

/** A session with one running turn `t1`, opened by the prompt `u1`. */
export function runningTurn(db: SessionDb, { sessionId = 's1', turnUid = 't1', text = 'What is here?' } = {}): void {
  db.createSession({ id: sessionId, startedAt: 1 });
  openTurn(db, { sessionId, turnUid, userUid: `u-${turnUid}`, text });
}

export function openTurn(
  db: Pick<SessionDb, 'openTurn'>,
  input: {
    sessionId?: string;
    turnUid: string;
    userUid?: string;
    text?: string;
    startedAt?: number;
    supersedes?: string;
    replaces?: { turnUid: string; reason: 'retried' | 'edited' };
    queuedUid?: string;
    draft?: PromptDraft;
  },
) {
  const { sessionId = 's1', turnUid, userUid = `u-${turnUid}`, text = 'Go on', supersedes, ...rest } = input;
  const replaces = supersedes === undefined ? {} : { replaces: { turnUid: supersedes, reason: 'retried' as const } };
  return db.openTurn({
    turnUid,
    sessionId,
    userMessage: prompt(userUid, text, turnUid, sessionId),
    model: 'Local/test',
    startedAt: 2,
    ...replaces,
    ...rest,
  });
}

export function append(db: SessionDb, turnUid: string, ...chunks: readonly Chunk[]): void {
  db.appendChunks({ sessionId: 's1', turnUid, model: 'Local/test', createdAt: 2, chunks });
}

export function settle(
  db: Pick<SessionDb, 'settleTurn'>,
  turnUid: string,
  settlement = complete,
  messages: readonly NewMessage[] = [],
) {
  return db.settleTurn({ turnUid, settledAt: 9, settlement, messages });
}

/** How a row stands: shown, or why it is hidden. */
export function visibilityOf({ db }: SessionDbWorld, uid: string): string | undefined {
  const visibility = db.getMessage(uid)?.visibility;
  return visibility?.kind === 'hidden' ? visibility.reason : visibility?.kind;
}

/** The rows of a session as one line each: what a person reads of a transcript in a test. */
export function lines(db: SessionDb, sessionId = 's1'): readonly string[] {
  return db.readTranscript({ sessionId, limit: 1000, includeHidden: true }).messages.map((message) => {
    const body = message.parts.map((part) => {
      switch (part.kind) {
        case 'text':
          return part.text;
        case 'thinking':
          return `<${part.text}>`;
        case 'toolCall':
          return `call:${part.callId}`;
        case 'toolResult':
          return `${part.callId}=${part.outcome}:${part.text}`;
        case 'image':
          return `image:${part.mediaType}`;
        case 'attachment':
          return `[${part.label}]`;
      }
    });
    const { visibility } = message;
    const mark =
      visibility.kind === 'shown' ? '' : ` (${visibility.kind === 'hidden' ? visibility.reason : visibility.kind})`;
    const streaming = message.role === 'assistant' && message.state === 'streaming' ? '…' : '';
    return `${message.role}${mark}: ${body.join(' ')}${streaming}`;
  });
}

/** Cause class of the `StoreError` that `work` throws, or "none". */
export function refusal(work: () => unknown): StoreErrorCause | 'none' {
  try {
    work();
    return 'none';
  } catch (error) {
    if (error instanceof StoreError) return error.causeClass;
    throw error;
  }
}

/** Opens a turn and answers it. Uids: `u-<turn>` and `a-<turn>`. `asked`: default, the answer as a question. `at`: when it begins; it
 *  ends a second later. */
export function answered(
  db: Pick<SessionDb, 'openTurn' | 'settleTurn'>,
  turnUid: string,
  text: string,
  how: {
    sessionId?: string;
    asked?: string;
    at?: number;
    replaces?: { turnUid: string; reason: 'retried' | 'edited' };
  } = {},
): void {
  const { sessionId = 's1', asked = `${text}?`, at, ...rest } = how;
  openTurn(db, { turnUid, sessionId, text: asked, startedAt: at ?? 2, ...rest });
  const messages = [answer(`a-${turnUid}`, text, turnUid, sessionId)];
  db.settleTurn({ turnUid, settledAt: at === undefined ? 9 : at + 1, settlement: complete, messages });
}

/** Session `s1` with three answered turns. */
export async function threeTurns(disk?: SimulatedDisk): Promise<SessionDbWorld> {
  const world = await sessionDbWorld(disk);
  world.db.createSession({ id: 's1', startedAt: 1 });
  for (const [index, text] of ['one', 'two', 'three'].entries()) answered(world.db, `t${index + 1}`, text);
  return world;
}

/** A write of a memory provider that waits. */
export const outboxEntry = (uid: string, sessionId: string, nextAttemptAt = 1, provider = 'p') => ({
  uid,
  provider,
  sessionId,
  kind: 'retain',
  payload: `{"n":"${uid}"}`,
  createdAt: 1,
  nextAttemptAt,
});

/** Uids of what is active, in order. */
export const activeUids = (db: SessionDb, sessionId = 's1'): readonly string[] =>
  db.activeMessages(sessionId).map(({ uid }) => uid);

/** The sentence of the `StoreError` that `work` throws, or "none". */
export function sentence(work: () => unknown): string {
  try {
    work();
    return 'none';
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}

/** Does `change` on a disk that fails at its first write, then at its second, and so on until it is through; tells for each time what the next
 *  process finds. */
export async function afterEveryFailure(
  begin: (disk: SimulatedDisk) => Promise<SessionDbWorld>,
  change: (world: SessionDbWorld) => unknown,
  describe: (found: SessionDbWorld) => string,
): Promise<readonly string[]> {
  const outcomes = new Set<string>();
  for (let healthy = 0, isDone = false; !isDone && healthy < 1000; healthy++) {
    let left = Number.POSITIVE_INFINITY;
    const fails = ({ kind }: DiskOperation): boolean => (kind === 'write' || kind === 'sync') && left-- <= 0;
    const world = await begin(new SimulatedDisk({ intervene: (operation) => (fails(operation) ? 'EIO' : undefined) }));
    left = healthy;
    isDone = refusal(() => change(world)) === 'none';
    const found = await world.reopened();
    outcomes.add([describe(found), ...found.db.verifyIntegrity()].join(' | '));
  }
  return [...outcomes].sort();
}
