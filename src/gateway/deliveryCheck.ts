import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import type { SessionStore } from '../store/sessionStore';
import type { Message, NewMessage } from '../transcript/message';
import type { AssistantPart } from '../transcript/part';
import type { Turn } from '../transcript/turn';
import type { DeliveryWitness, MissingDelivery } from './deliveryWitness';

interface CheckParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Delivered means stored: checked after every turn, and again for what could not be written then when its session is left. */
export class DeliveryCheck {
  private backfills = 0;
  /** By session: rows with what was shown and is not on disk. */
  private readonly owed = new Map<string, readonly NewMessage[]>();

  constructor(private readonly parts: CheckParts) {}

  /** A text that is missing is written, and the log says so. Never rejects. */
  async check(witness: DeliveryWitness, stored: readonly Message[], turn: Turn): Promise<void> {
    const missing = witness.missingFrom(stored);
    if (missing.length === 0) return;
    for (const { messageUid, part, shown, stored: found } of missing) {
      this.backfills++;
      this.parts.log.info(
        `Backfill ${this.backfills}: turn ${turn.uid}, message ${messageUid}, part ${part}: ${shown.length} characters were shown, ${found?.length ?? 0} were stored.`,
      );
    }
    this.owed.set(turn.sessionId, [
      ...(this.owed.get(turn.sessionId) ?? []),
      ...backfillRows(missing, stored, turn, this.parts.clock.now()),
    ]);
    await this.makeUpFor(turn.sessionId);
  }

  /** Writes what is still missing of a session. What cannot be written now either stays owed. Never rejects. */
  async makeUpFor(sessionId: string): Promise<void> {
    const rows = this.owed.get(sessionId);
    if (rows === undefined) return;
    this.owed.delete(sessionId);
    try {
      await this.parts.store.putMessages(rows);
    } catch (error) {
      this.owed.set(sessionId, [...rows, ...(this.owed.get(sessionId) ?? [])]);
      this.parts.log.error('What was shown could not be written afterwards.', error);
    }
  }
}

/** The rows with what was shown put back, a row of its own for a message that is not stored at all. */
function backfillRows(
  missing: readonly MissingDelivery[],
  stored: readonly Message[],
  turn: Turn,
  now: number,
): readonly NewMessage[] {
  return [...new Set(missing.map(({ messageUid }) => messageUid))].map((uid): NewMessage => {
    const row = stored.find((message) => message.uid === uid);
    const parts: AssistantPart[] = row?.role === 'assistant' ? [...row.parts] : [];
    for (const { part, kind, shown } of missing.filter((entry) => entry.messageUid === uid))
      parts.splice(part, 1, { kind, text: shown });
    if (row?.role === 'assistant') return { ...row, parts };
    return {
      uid,
      sessionId: turn.sessionId,
      turnUid: turn.uid,
      createdAt: now,
      visibility: { kind: 'shown' },
      carriedFrom: null,
      role: 'assistant',
      parts,
      state: 'final',
      lastSeq: 0,
      model: turn.model,
      finishReason: null,
      usage: null,
    };
  });
}
