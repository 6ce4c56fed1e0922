import { parentPort, workerData } from 'node:worker_threads';
import { perform, type MethodName, type StoreRequest } from '../../src/store/sessionMethods';
import { BetterSqliteDatabase } from './betterSqliteDatabase';
import { indexAll, sessionDbOver } from './contestants';

/** What a thread around better-sqlite3 is asked, and how it answers. */
export interface ThreadCall {
  readonly id: number;
  readonly request: StoreRequest;
}
export type ThreadAnswer =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string };

const { packages, file } = workerData as { readonly packages: string; readonly file: string };
const database = new BetterSqliteDatabase(packages, file, 'full');
const sessions = sessionDbOver(database);

// A transaction that settles a turn keeps the index up to date, as without the thread.
function run({ method, args }: StoreRequest): unknown {
  const work = (): unknown => perform<MethodName>(sessions, method, args);
  if (method !== 'settleTurn') return work();
  return database.asOne(() => {
    const value = work();
    indexAll(sessions);
    return value;
  });
}

function answer(call: ThreadCall): ThreadAnswer {
  try {
    return { id: call.id, value: run(call.request) };
  } catch (error) {
    return { id: call.id, error: String(error) };
  }
}

parentPort?.on('message', (call: ThreadCall | 'close') => {
  if (call === 'close') {
    database.close();
    parentPort?.close();
  } else parentPort?.postMessage(answer(call));
});
