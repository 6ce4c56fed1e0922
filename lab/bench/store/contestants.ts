import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../../src/base/clock';
import { silentLog } from '../../../src/base/log';
import { NodeFileSystem } from '../../../src/store/engine/nodeFileSystem';
import { loadSqlite } from '../../../src/store/engine/sqlite';
import { acquireLock } from '../../../src/store/lock/acquireLock';
import { SystemProcessTable } from '../../../src/store/lock/processLookup';
import type { StoreThreadData } from '../../../src/host/start/compiledBundle';
import { openStore } from '../../../src/store/ownership/openStore';
import type { SessionStore } from '../../../src/store/session/sessionStore';
import { openSessionStore } from '../../../src/store/worker/openedStore';
import { startStoreWorker } from '../../../src/store/worker/storeClient';
import { inProcessStore } from '../../../test/support/inProcessStore';
import {
  promisedOperations,
  type MethodArguments,
  type MethodName,
  type MethodResults,
  type StoreRequest,
} from '../../../src/store/session/sessionStore';
import { NativeSessions } from './nativeSessions';
import type { ThreadAnswer, ThreadCall } from './nativeThread';

/** Ways of storing that are compared. */
export const contestantNames = ['hermes', 'nativeThread', 'hermesEngine', 'native'] as const;
export type ContestantName = (typeof contestantNames)[number];

/** Opens the `state.db` in `folder`. `programs`: the folder of the bench's programs. */
type Open = (folder: string, programs: string) => Promise<SessionStore>;

export const openContestant: Readonly<Record<ContestantName, Open>> = {
  hermes: openProduct,

  /** The same engine without the thread; the index is filled when the bench asks for it. */
  async hermesEngine(folder, programs) {
    const fileSystem = new NodeFileSystem();
    const attempt = acquireLock({ fileSystem, folder, processes: new SystemProcessTable(), now: systemClock.now });
    if (attempt.kind !== 'held') throw new Error(`The store is held by ${attempt.owner.description}.`);
    const sqlite = await loadSqlite(new Uint8Array(readFileSync(join(programs, 'sql-wasm.wasm'))));
    const place = { folder, fence: attempt.lock.fence, salvage: false };
    const store = inProcessStore(openSessionStore({ sqlite, fileSystem, now: systemClock.now }, place));
    const close = async (): Promise<void> => {
      await store.close();
      attempt.lock.release();
    };
    return { ...store, close };
  },

  /** A native SQLite in a thread, as it has to run where a user's window must not stall. */
  nativeThread: async (folder, programs) =>
    storeInThread(new Worker(join(programs, 'nativeThread.js'), { workerData: join(folder, 'state.db') })),

  /** A native SQLite in the same process. */
  async native(folder) {
    const sessions = new NativeSessions(join(folder, 'state.db'), 'full');
    return {
      ...promisedOperations((method, args) => new Promise((resolve) => resolve(sessions.call(method, args)))),
      close: async () => sessions.database.close(),
    };
  },
};

/** Opens a store as the product does: a thread, which finds the code that an earlier one has compiled; messages; the
 *  index is filled in idle moments. */
export async function openProduct(folder: string, programs: string): Promise<SessionStore> {
  const threadData: StoreThreadData = { compiledFolder: join(programs, 'compiled'), keepAfterMs: 300 };
  const connection = openStore({
    storageFolder: folder,
    workerEntry: join(programs, 'storeThread.js'),
    startWorker: (entry) => startStoreWorker(entry, threadData),
    clock: systemClock,
    log: silentLog,
  });
  await connection.open();
  if (connection.state.kind === 'open') return connection.store;
  throw connection.state.kind === 'failed' ? connection.state.error : new Error(connection.state.kind);
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
