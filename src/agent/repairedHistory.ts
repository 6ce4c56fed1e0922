import type { Log } from '../base/log';
import type { SessionStore } from '../store/sessionStore';
import type { Message } from '../transcript/message';
import { isSound, repairSequence } from '../transcript/sequenceRepair';
import type { TurnEvent } from '../transcript/turnEvent';

interface RunningTurn {
  readonly turnUid: string;
  /** Where its rows stand now. */
  readonly sessionId: string;
  readonly show: (event: TurnEvent) => void;
}

/** The stored rows that the next request of a turn is made from. Where no provider would accept them they are repaired first, on disk; the
 *  surfaces are told of every row that changed. Rejects with a `StoreError`: a repair that cannot be stored is not sent either. */
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
