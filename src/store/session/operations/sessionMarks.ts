import { t } from '../../../base/translate';
import { busy } from '../tables/refusal';
import { lastSettled } from '../tables/turnTable';
import { StorePart } from '../tables/storePart';

/** The user's marks on a conversation, set on all its segments at once. Every method runs inside its caller's
 *  transaction. */
export class SessionMarks extends StorePart {
  pin(sessionId: string, on: boolean): void {
    this.set(sessionId, 'pinned = ?', on ? 1 : 0);
  }

  archive(sessionId: string, on: boolean): void {
    this.set(sessionId, 'archived = ?', on ? 1 : 0);
  }

  trash(sessionId: string, now: number): void {
    const open = this.turns.openOf(this.sessions.require(sessionId).conversationId);
    if (open !== null) throw busy(t('Hermes is answering in this session. Stop it first.'), open);
    this.set(sessionId, 'trashed_at = coalesce(trashed_at, ?)', now);
  }

  restore(sessionId: string): void {
    this.set(sessionId, 'trashed_at = ?', null);
  }

  /** Marks the newest answer as seen, whatever the clocks say. Changes nothing if it is already seen: a session is
   *  shown far more often than it has something new, and a write waits for the disk. */
  see(sessionId: string, now: number): void {
    const { conversationId } = this.sessions.require(sessionId);
    this.database.run(
      `UPDATE sessions SET seen_at = max(?1, coalesce(${lastSettled('?2')}, 0)) WHERE conversation_id = ?2
         AND (seen_at IS NULL OR NOT EXISTS (SELECT 1 FROM turns t
           WHERE t.id = (SELECT max(id) FROM turns WHERE conversation_id = ?2) AND t.state = 'settled'
           AND t.settled_at <= seen_at))`,
      [now, conversationId],
    );
  }

  private set(sessionId: string, change: string, value: number | null): void {
    this.database.run(`UPDATE sessions SET ${change} WHERE conversation_id = ?`, [
      value,
      this.sessions.require(sessionId).conversationId,
    ]);
  }
}
