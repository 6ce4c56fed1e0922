import type { TranscriptRepair } from '../../requests';
import { type RepairCircumstances, repairSequence, type SequenceRepair } from '../../../transcript/sequenceRepair';
import type { Turn } from '../../../transcript/turn';
import { invalid } from '../tables/refusal';
import { StorePart } from '../tables/storePart';
import type { StoreQueries } from '../queries/storeQueries';

/** Rewrites the active transcript of a session as a whole. Nothing is lost: a rewritten row leaves a revision, a
 *  removed row is hidden. Every method runs inside its caller's transaction. */
export class TranscriptRewriting extends StorePart<StoreQueries> {
  repair(sessionId: string, at: number): TranscriptRepair {
    return this.apply(sessionId, this.planned(sessionId, at));
  }

  /** The repair of the session's current active rows. */
  planned(sessionId: string, at: number): SequenceRepair {
    return repairSequence(this.store.reading.active(sessionId), this.circumstances(sessionId, at));
  }

  /** Input for a repair of the session's active rows. */
  circumstances(sessionId: string, at: number): RepairCircumstances {
    return { openTurnUid: this.openTurnOf(sessionId)?.uid ?? null, at };
  }

  /** Stores a repair of the session's current active rows. */
  apply(sessionId: string, repair: SequenceRepair): TranscriptRepair {
    for (const message of repair.rewritten) this.messages.upsert(message, () => refuseUnknown(message.uid));
    const made = this.insertResults(sessionId, repair);
    for (const { uid, reason, absorbedInto } of repair.hidden) this.messages.hide(uid, reason, absorbedInto);
    const touched = [...repair.rewritten.map(({ uid }) => uid), ...made, ...repair.hidden.map(({ uid }) => uid)];
    return {
      messages: touched.flatMap((uid) => this.messages.find(uid)?.message ?? []),
      reasons: [...repair.hidden.map(({ why }) => why), ...repair.answered.map(() => 'unansweredCall' as const)],
    };
  }

  private insertResults(sessionId: string, repair: SequenceRepair): readonly string[] {
    const storedUids = new Map<string, string>();
    for (const { message, after } of repair.answered) {
      const uid = this.freeUid(message.uid);
      storedUids.set(message.uid, uid);
      this.messages.insert({ ...message, uid }, this.messages.positionAfter(sessionId, storedUids.get(after) ?? after));
    }
    return [...storedUids.values()];
  }

  /** The uid itself, or the uid with a number if it is taken by a hidden row: a result that was made once and left
   *  out later. */
  private freeUid(uid: string): string {
    let free = uid;
    for (let count = 2; this.messages.find(free) !== null; count++) free = `${uid}/${count}`;
    return free;
  }

  private openTurnOf(sessionId: string): Turn | null {
    return this.turns.openOf(this.sessions.require(sessionId).conversationId);
  }
}

function refuseUnknown(uid: string): never {
  throw invalid(`message ${uid} is not stored`);
}
