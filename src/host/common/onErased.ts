import type { Disposable } from '../../base/disposable';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { Log } from '../../base/log';
import type { SessionStore } from '../../store/session/sessionStore';
import { describeError } from './describeError';

interface ErasureWindow {
  readonly gateway: GatewayPart<'surfaces', 'onDidChangeSessions'>;
  readonly history: { readonly store: Pick<SessionStore, 'getSession'> };
  readonly log: Log;
}

/** Calls `forget` with sessions that were erased: those of the changed ones that the store no longer has. */
export function onErased(
  { gateway, history, log }: ErasureWindow,
  forget: (sessionIds: readonly string[]) => void,
): Disposable {
  return gateway.surfaces.onDidChangeSessions((sessionIds) => {
    Promise.all(sessionIds.map(async (id) => ((await history.store.getSession(id)) === null ? [id] : []))).then(
      (found) => (found.flat().length > 0 ? forget(found.flat()) : undefined),
      (error: unknown) => log.trace(`Whether a session was erased could not be read: ${describeError(error).sentence}`),
    );
  });
}
