import { parentPort, workerData } from 'node:worker_threads';
import type { StoreRequest } from '../../../src/store/session/sessionStore';
import { NativeSessions } from './nativeSessions';

/** What a thread around better-sqlite3 is asked, and how it answers. */
export interface ThreadCall {
  readonly id: number;
  readonly request: StoreRequest;
}
export type ThreadAnswer =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string };

const sessions = new NativeSessions(String(workerData), 'full');

function answer({ id, request }: ThreadCall): ThreadAnswer {
  try {
    return { id, value: sessions.call(request.method, request.args) };
  } catch (error) {
    return { id, error: String(error) };
  }
}

parentPort?.on('message', (call: ThreadCall | 'close') => {
  if (call === 'close') {
    sessions.database.close();
    parentPort?.close();
  } else parentPort?.postMessage(answer(call));
});
