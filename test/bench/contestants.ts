import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../src/base/clock';
import { silentLog } from '../../src/base/log';
import { NodeFileSystem } from '../../src/store/engine/nodeFileSystem';
import type { SqlDatabase } from '../../src/store/engine/sqlDatabase';
import { loadSqlite } from '../../src/store/engine/sqlite';
import { acquireLock } from '../../src/store/lock/acquireLock';
import { SystemProcessTable } from '../../src/store/lock/processLookup';
import type { StoreThreadData } from '../../src/host/start/storeThreadData';
import { openStore } from '../../src/store/ownership/openStore';
import { createSessionDb, type SessionDb } from '../../src/store/session/sessionDb';
import type { SessionOperations, SessionStore } from '../../src/store/sessionStore';
import { openSessionStore } from '../../src/store/worker/openedStore';
import { startNodeWorker } from '../../src/store/worker/nodeWorkerPort';
import { inProcessStore } from '../support/inProcessStore';
import {
  perform,
  promisedOperations,
  type MethodArguments,
  type MethodName,
  type MethodResults,
  type StoreRequest,
} from '../../src/store/sessionMethods';
import { BetterSqliteDatabase } from './betterSqliteDatabase';
import type { ThreadAnswer, ThreadCall } from './betterSqliteThread';
import { NaiveDatabase } from './naiveDatabase';

export const contestantNames = ['hermes', 'betterSqliteWorker', 'hermesEngine', 'betterSqlite', 'naive'] as const;
export type ContestantName = (typeof contestantNames)[number];

/** A store under measurement. */
export interface Contestant {
  readonly store: SessionStore;
  /** Runs the call that settles a turn, and whatever else this way of storing needs before the turn is durable and can be found. */
  settle(work: () => Promise<unknown>): Promise<void>;
}

export interface ContestantPlace {
  /** Holds the `state.db` to be opened. */
  readonly folder: string;
  /** Holds `storeThread.js`, `storeWorker.js`, `betterSqliteThread.js` and `sql-wasm.wasm`. */
  readonly worker: string;
  /** Where better-sqlite3 is installed. */
  readonly packages: string;
}

export const openContestant: Readonly<Record<ContestantName, (place: ContestantPlace) => Promise<Contestant>>> = {
  /** As the product runs it: a thread, which finds the code that an earlier one has compiled; messages, the index filled in idle moments. */
  async hermes({ folder, worker }) {
    const threadData: StoreThreadData = { compiledFolder: join(worker, 'compiled'), keepAfterMs: 300 };
    const connection = openStore({
      storageFolder: folder,
      workerEntry: join(worker, 'storeThread.js'),
      startWorker: (entry) => startNodeWorker(entry, threadData),
      clock: systemClock,
      log: silentLog,
    });
    await connection.open();
    if (connection.state.kind !== 'open')
      throw connection.state.kind === 'failed' ? connection.state.error : new Error(connection.state.kind);
    return { store: connection.store, settle: async (work) => void (await work()) };
  },

  /** The same engine without the thread; the index is filled when the bench asks for it. */
  async hermesEngine({ folder, worker }) {
    const fileSystem = new NodeFileSystem();
    const attempt = acquireLock({
      fileSystem,
      folder,
      path: join(folder, 'state.db.lock'),
      processes: new SystemProcessTable(),
      endpoint: null,
      now: systemClock.now,
      uniqueName: () => String(process.hrtime.bigint()),
    });
    if (attempt.kind !== 'held') throw new Error(`The store is held by ${attempt.owner.description}.`);
    const sqlite = await loadSqlite(new Uint8Array(readFileSync(join(worker, 'sql-wasm.wasm'))));
    const place = { folder, fence: attempt.lock.fence, salvage: false, siblings: [] };
    const store = inProcessStore(openSessionStore({ sqlite, fileSystem, now: systemClock.now }, place));
    const close = async (): Promise<void> => {
      await store.close();
      attempt.lock.release();
    };
    return { store: { ...store, close }, settle: async (work) => void (await work()) };
  },

  /** A native SQLite in a thread, as whoever would not stall a person's window has to run it. */
  betterSqliteWorker: async ({ folder, worker, packages }) => ({
    store: storeInThread(
      new Worker(join(worker, 'betterSqliteThread.js'), { workerData: { packages, file: join(folder, 'state.db') } }),
    ),
    settle: async (work) => void (await work()),
  }),

  /** A native SQLite in the same process: log, FULL, and the index kept up to date in the transaction that settles the turn. */
  async betterSqlite({ folder, packages }) {
    const database = new BetterSqliteDatabase(packages, join(folder, 'state.db'), 'full');
    const sessions = sessionDbOver(database);
    return {
      store: storeOf(sessions, () => database.close()),
      settle: async (work) =>
        database.asOne(() => {
          // The call runs at once; only its promise is late.
          void work();
          indexAll(sessions);
        }),
    };
  },

  /** sql.js as its documentation shows it: exported and written whole after every turn. */
  async naive({ folder }) {
    const file = join(folder, 'state.db');
    const database = await NaiveDatabase.of(new Uint8Array(readFileSync(file)));
    const sessions = sessionDbOver(database);
    return {
      store: storeOf(sessions, () => database.close()),
      settle: async (work) => {
        await work();
        indexAll(sessions);
        writeDurably(file, database.save());
      },
    };
  },
};

export function sessionDbOver(database: SqlDatabase): SessionDb {
  return createSessionDb({ database, now: systemClock.now, fileSizes: () => ({ fileBytes: 0, logBytes: 0 }) });
}

export function indexAll(sessions: SessionOperations): void {
  while (sessions.indexBatch(64) > 0);
}

function storeOf(sessions: SessionOperations, close: () => void): SessionStore {
  return {
    ...promisedOperations((method, args) => new Promise((resolve) => resolve(perform(sessions, method, args)))),
    close: async () => close(),
  };
}

function writeDurably(file: string, bytes: Uint8Array): void {
  const next = `${file}.next`;
  const handle = openSync(next, 'w');
  for (let written = 0; written < bytes.length;)
    written += writeSync(handle, bytes, written, Math.min(bytes.length - written, 1 << 26));
  fsyncSync(handle);
  closeSync(handle);
  renameSync(next, file);
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function storeInThread(thread: Worker): SessionStore {
  const waiting = new Map<number, (answer: ThreadAnswer) => void>();
  let last = 0;
  thread.on('message', (answer: ThreadAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  return {
    ...promisedOperations(
      <M extends MethodName>(method: M, args: MethodArguments[M]) =>
        new Promise<MethodResults[M]>((resolve, reject) => {
          const id = ++last;
          waiting.set(id, (answer) =>
            'error' in answer ? reject(new Error(answer.error)) : resolve(answer.value as MethodResults[M]),
          );
          thread.postMessage({ id, request: { method, args } as StoreRequest } satisfies ThreadCall);
        }),
    ),
    close: async () => {
      const ended = new Promise((resolve) => thread.once('exit', resolve));
      thread.postMessage('close');
      await ended;
    },
  };
}
