import { unknownUsage } from '../../src/transcript/usage';
import { randomUUID } from 'node:crypto';
import { TurnRecorder } from '../../src/agent/turnRecorder';
import type { Clock } from '../../src/base/clock';
import { idsFrom } from '../../src/base/ids';
import type { Log } from '../../src/base/log';
import { SimulatedDisk } from './simulatedDisk';
import type { Sqlite } from '../../src/store/engine/sqlite';
import { createSessionDb, type SessionDb } from '../../src/store/session/sessionDb';
import { storeUidKey } from '../../src/store/session/tables/storeUid';
import { migrate, schemaVersion } from '../../src/store/schema/migrations';
import type { SessionStore } from '../../src/store/sessionStore';
import { foldFoundSpills } from '../../src/store/spill/foundSpills';
import { SpillingStore } from '../../src/store/spill/spillingStore';
import { StoreError } from '../../src/store/storeError';
import { perform, promisedOperations } from '../../src/store/sessionMethods';
import type { Turn } from '../../src/transcript/turn';
import type { TurnEvent } from '../../src/transcript/turnEvent';
import { testSpillHome } from './spills';
import { openTestDatabase, testTime } from './testStore';
import { testSqlite } from './sqlite';

export const sessionId = '20261120_080000_abcdef';
export const turnUid = 'turn-1';
const folders = ['/store', '/global'];

const log: Log = { trace: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Pauses are over at once; what waits for seconds waits for the test. */
const clock: Clock = {
  now: () => testTime,
  monotonicMs: () => 0,
  after: (delayMs, callback) => {
    if (delayMs < 1000) setImmediate(callback);
    return () => undefined;
  },
};

/** How a call of the store goes: it fails before it did anything, or after it did everything. */
export type Fate = 'works' | 'failsBefore' | 'failsAfter';

/** One turn, recorded the way the agent does, on a simulated disk whose store can be broken call by call and which can lose its power. */
export class SpillWorld {
  /** What surfaces were given, by message and part. */
  readonly shown = new Map<string, string>();
  /** Decides each call of the store. */
  fate: (method: string) => Fate = () => 'works';
  calls = 0;
  stopped = false;

  private constructor(
    private readonly sqlite: Sqlite,
    readonly disk: SimulatedDisk,
    readonly db: SessionDb,
    private readonly database: { close(): void },
    readonly spilling: SpillingStore,
  ) {}

  static async create(
    makeSpilling: (inner: SessionStore, world: () => SpillWorld) => SpillingStore,
    disk = new SimulatedDisk(),
  ): Promise<SpillWorld> {
    const sqlite = await testSqlite();
    const { db, database } = openOn(sqlite, disk);
    const world: SpillWorld = new SpillWorld(
      sqlite,
      disk,
      db,
      database,
      makeSpilling(
        innerStore(() => world),
        () => world,
      ),
    );
    return world;
  }

  spillHome() {
    return testSpillHome(this.sqlite, this.disk, clock.now, { folders });
  }

  spillFiles(): readonly string[] {
    return folders.flatMap((folder) =>
      this.disk.stat(folder) === undefined
        ? []
        : this.disk
            .list(folder)
            .filter((name) => name.endsWith('.jsonl'))
            .map((name) => `${folder}/${name}`),
    );
  }

  /** A prompt, thinking, an answer with a call, its result, an answer. Ends early when nothing more can be stored; resolves when the turn is
   *  closed, or cannot be. */
  async runTurn(): Promise<void> {
    const store = this.spilling.store;
    const turn = await this.openTurn(store);
    let count = 0;
    const ids = idsFrom((bytes) => new Uint8Array(bytes).fill(++count));
    const recorder = new TurnRecorder(
      store,
      clock,
      ids,
      { sessionId, turnUid, model: turn.model },
      (event) => this.show(event),
      () => (this.stopped = true),
    );
    const call = { kind: 'toolCall' as const, callId: 'call-1', name: 'look', arguments: '{}' };
    const usage = { ...unknownUsage, inputTokens: 10, outputTokens: 5 };
    try {
      await store.activeMessages(sessionId);
      for (const text of ['Let me ', 'think. ']) await deliver(recorder, 'thinking', text);
      for (const text of ['I look ', 'first. ', '😀'.charAt(0), '😀'.charAt(1)]) await deliver(recorder, 'text', text);
      await recorder.addUsage(usage);
      await recorder.storeCalls({ calls: [call], finishReason: 'tool_calls', usage });
      await recorder.storeResult(call, { outcome: 'done', text: 'found' });
      await store.activeMessages(sessionId);
      for (const text of ['It is ', 'there', '.']) await deliver(recorder, 'text', text);
      await recorder.addUsage(usage);
    } catch {
      // The turn ends with what is on disk.
    }
    const ending = recorder.failed
      ? { outcome: 'failed' as const, stopReason: 'storeFailed' as const }
      : { outcome: 'complete' as const, stopReason: 'stop' as const };
    await recorder
      .settle({ ...ending, failure: null }, recorder.failed ? 'drop' : 'store', { finishReason: 'stop', usage })
      .catch(() => undefined);
  }

  /** Everything about the turn that should not depend on how often the store failed. */
  account() {
    const rows = this.db.readTranscript({ sessionId, limit: 1000, includeHidden: true }).messages;
    const turn = this.db.getTurn(turnUid);
    return {
      rows: rows.map(({ uid, role, parts, visibility }) => ({ uid, role, parts, visibility: visibility.kind })),
      states: [...new Set(rows.map((row) => (row.role === 'assistant' ? row.state : 'final')))],
      turn: turn === null ? null : turn.state === 'settled' ? `${turn.outcome} ${turn.stopReason}` : turn.state,
      usage: turn?.usage ?? null,
      problems: this.db.verifyIntegrity(),
    };
  }

  /** Text that was shown and is not stored, once, as the beginning of what its part says. */
  missing(): readonly string[] {
    const rows = new Map(
      this.db.readTranscript({ sessionId, limit: 1000, includeHidden: true }).messages.map((row) => [row.uid, row]),
    );
    return [...this.shown].flatMap(([key, text]) => {
      const [uid = '', part = '0'] = key.split(' ');
      const stored = rows.get(uid)?.parts[Number(part)];
      return stored !== undefined && 'text' in stored && stored.text.startsWith(text) ? [] : [text];
    });
  }

  close(): void {
    this.database.close();
  }

  private async openTurn(store: SessionStore): Promise<Turn & { readonly state: 'running' }> {
    await store.createSession({ id: sessionId, startedAt: testTime, model: 'm' });
    const { turn } = await store.openTurn({
      turnUid,
      sessionId,
      model: 'm',
      startedAt: testTime,
      userMessage: {
        uid: 'prompt-1',
        sessionId,
        turnUid,
        createdAt: testTime,
        visibility: { kind: 'shown' },
        carriedFrom: null,
        role: 'user',
        parts: [{ kind: 'text', text: 'Where?' }],
      },
    });
    if (turn.state !== 'running') throw new Error('the turn does not run');
    return turn;
  }

  private show(event: TurnEvent): void {
    if (event.kind !== 'delivered') return;
    for (const { messageUid, part, text } of event.chunks)
      this.shown.set(`${messageUid} ${part}`, (this.shown.get(`${messageUid} ${part}`) ?? '') + text);
  }
}

/** A world whose spills go to the first folder that takes them. */
export function spillWorld(disk?: SimulatedDisk): Promise<SpillWorld> {
  return SpillWorld.create((inner, world) => newSpilling(inner, world), disk);
}

function newSpilling(inner: SessionStore, world: () => SpillWorld): SpillingStore {
  const home = {
    folders,
    temporaryFolder: () => Promise.resolve(null),
    open: (place: Parameters<ReturnType<SpillWorld['spillHome']>['open']>[0]) => world().spillHome().open(place),
    remove: (path: string) => world().spillHome().remove(path),
    setAside: (path: string) => world().spillHome().setAside(path),
  };
  return new SpillingStore(inner, home, clock, log, randomUUID);
}

function innerStore(world: () => SpillWorld): SessionStore {
  return {
    ...promisedOperations(async (method, args) => {
      const { db } = world();
      const fate = world().fate(method);
      world().calls++;
      if (fate === 'failsBefore') throw failure;
      const result = perform(db, method, args);
      if (fate === 'failsAfter') throw failure;
      return result;
    }),
    close: () => Promise.resolve(),
  };
}

const failure = new StoreError('full', 'The disk is full.', 'database or disk is full');

function openOn(sqlite: Sqlite, disk: SimulatedDisk) {
  const { database } = openTestDatabase(sqlite, disk, '/store', { schemaVersion });
  migrate(database, { keepCopy: () => undefined });
  const db = createSessionDb({ database, now: clock.now, fileSizes: () => database.sizes() });
  if (db.getMeta(storeUidKey) === null) db.setMeta(storeUidKey, randomUUID());
  foldFoundSpills(disk, db, '/store', { folders, liveTurns: [] });
  db.recoverTurns();
  return { db, database };
}

async function deliver(recorder: TurnRecorder, kind: 'text' | 'thinking', text: string): Promise<void> {
  recorder.deliver(kind, text);
  await recorder.flush();
}
