import type { Log } from '../base/log';
import type { SessionStore } from '../store/sessionStore';
import type { Message } from '../transcript/message';
import { isSound, repairSequence } from '../transcript/sequenceRepair';
import type { TurnEvent } from '../transcript/turnEvent';

interface RunningTurn {
  readonly turnUid: string;
  /** The session that holds its rows now. */
  readonly sessionId: string;
  readonly show: (event: TurnEvent) => void;
}

/** Returns the stored rows for the next request of a turn. If no provider would accept them, repairs them first, on
 *  disk, and notifies surfaces of every changed row. Throws `StoreError`: a repair that cannot be stored is not sent
 *  either. */
export async function repairedHistory(
  { turnUid, sessionId, show }: RunningTurn,
  { store, log }: { readonly store: SessionStore; readonly log: Log },
): Promise<readonly Message[]> {
  const stored = await store.activeMessages(sessionId);
  if (isSound(repairSequence(stored, { openTurnUid: turnUid, at: 0 }))) return stored;
  const repair = await store.repairTranscript(sessionId);
  log.info(`The stored history of session ${sessionId} was repaired before it was sent: ${repair.reasons.join(', ')}.`);
  for (const message of repair.messages) show({ kind: 'messageStored', message });
  return store.activeMessages(sessionId);
}
