import type { Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { describeError } from './describeError';

export interface ErasureDeps {
  readonly sessions: { getSession(sessionId: string): Promise<object | null> };
  /** Notifies of changed sessions. One that the store no longer has was erased. */
  readonly onDidChangeSessions: (listener: (sessionIds: readonly string[]) => void) => Disposable;
  readonly log: Log;
}

/** Calls `forget` with sessions that were erased. */
export function onErased(
  { sessions, onDidChangeSessions, log }: ErasureDeps,
  forget: (sessionIds: readonly string[]) => void,
): Disposable {
  return onDidChangeSessions((sessionIds) => {
    Promise.all(sessionIds.map(async (id) => ((await sessions.getSession(id)) === null ? [id] : []))).then(
      (found) => (found.flat().length > 0 ? forget(found.flat()) : undefined),
      (error: unknown) => log.trace(`Whether a session was erased could not be read: ${describeError(error).sentence}`),
    );
  });
}
