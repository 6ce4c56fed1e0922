import type { SqlDatabase } from '../engine/sqlDatabase';
import type { HiddenReason, Message } from '../../transcript/message';
import { textOr } from './columns';
import { positionGap, type MessageTable } from './messageTable';

/** Columns of a message that its copy has as they are, unread, so that a damaged row is copied as it stands. */
export const copiedColumns = `role, content, parts, tool_call_id, tool_calls, tool_name, timestamp, token_count, finish_reason, reasoning_content,
  reasoning_details, active, display_kind, hidden_reason, state, last_seq, model, usage, api_content, row_version`;

/** Rows of a conversation hidden and shown by stretches of its newest segment. A row that was carried over from an earlier segment goes
 *  together with the row it repeats, which is the one that surfaces show. Every method runs inside its caller's transaction. */
export class ActiveRows {
  constructor(
    private readonly database: SqlDatabase,
    private readonly messages: MessageTable,
  ) {}

  /** The row of this segment that is the message, or repeats it; null when neither stands here or it is hidden. */
  inSegment(sessionId: string, uid: string): Message | null {
    const row = this.database.get(
      `WITH RECURSIVE same (uid) AS (SELECT ? UNION SELECT m.uid FROM same JOIN messages m ON m.carried_from = same.uid)
       SELECT m.* FROM same JOIN messages m ON m.uid = same.uid WHERE m.session_id = ? AND m.active = 1`,
      [uid, sessionId],
    );
    return row === undefined ? null : this.messages.read(row).message;
  }

  /** The uid under which a message stands in a segment, be it hidden: its own, or that of the row that repeats it there. */
  nameInSegment(sessionId: string, uid: string): string {
    const row = this.database.get(
      `WITH RECURSIVE same (uid) AS (SELECT ? UNION SELECT m.uid FROM same JOIN messages m ON m.carried_from = same.uid)
       SELECT m.uid FROM same JOIN messages m ON m.uid = same.uid WHERE m.session_id = ?`,
      [uid, sessionId],
    );
    return row === undefined ? uid : textOr(row, 'uid', uid);
  }

  /** Where the active rows of a turn begin in a segment; null when it has none there. */
  startOfTurn(sessionId: string, turnUid: string): number | null {
    const start = this.database.get(
      'SELECT min(position) AS start FROM messages WHERE turn_uid = ? AND session_id = ? AND active = 1',
      [turnUid, sessionId],
    )?.['start'];
    return typeof start === 'number' ? start : null;
  }

  /** Hides every active row of a segment from a position on. `version` marks them as a version of a prompt that can be shown again. Returns
   *  the uids hidden. */
  hideFrom(sessionId: string, position: number, reason: HiddenReason, version: string | null): readonly string[] {
    const uids = this.withCarried('SELECT uid FROM messages WHERE session_id = ? AND active = 1 AND position >= ?', [
      sessionId,
      position,
    ]);
    this.database.run(
      'UPDATE messages SET active = 0, hidden_reason = ?, absorbed_into = NULL, hidden_with = ? WHERE uid IN (SELECT value FROM json_each(?))',
      [reason, version, JSON.stringify(uids)],
    );
    return uids;
  }

  /** Shows the rows that were hidden as a version. Those of them that stand in earlier segments only, because a compression does not carry hidden
   *  rows over, are repeated at the end of the newest one. Returns the uids of all. */
  showVersion(tip: string, turnUid: string): readonly string[] {
    const uids = this.uids(
      "SELECT uid FROM messages WHERE hidden_with = ? AND active = 0 AND hidden_reason IN ('retried', 'edited')",
      [turnUid],
    );
    this.database.run(
      'UPDATE messages SET active = 1, hidden_reason = NULL, hidden_with = NULL WHERE uid IN (SELECT value FROM json_each(?))',
      [JSON.stringify(uids)],
    );
    return [...uids, ...this.carryOver(tip, JSON.stringify(uids))];
  }

  private carryOver(tip: string, named: string): readonly string[] {
    const missing = this.uids(
      `SELECT uid FROM messages m WHERE uid IN (SELECT value FROM json_each(?1)) AND session_id <> ?2
         AND NOT EXISTS (SELECT 1 FROM messages c WHERE c.carried_from = m.uid AND c.uid IN (SELECT value FROM json_each(?1))) ORDER BY position`,
      [named, tip],
    );
    this.database.run(
      `INSERT INTO messages (uid, session_id, turn_uid, position, carried_from, ${copiedColumns})
       SELECT ?1 || '/' || uid, ?1, turn_uid, ?2 + (row_number() OVER (ORDER BY position) - 1) * ${positionGap}, uid, ${copiedColumns}
       FROM messages WHERE uid IN (SELECT value FROM json_each(?3)) ORDER BY position`,
      [tip, this.messages.endPosition(tip), JSON.stringify(missing)],
    );
    return missing.map((uid) => `${tip}/${uid}`);
  }

  /** Counts a conversation's turns anew after rows were hidden or shown: those of which something is active. */
  recountTurns(conversationId: string): void {
    this.database.run(
      `UPDATE sessions SET turn_count = (SELECT count(*) FROM turns t WHERE t.session_id = sessions.id
         AND EXISTS (SELECT 1 FROM messages m WHERE m.turn_uid = t.uid AND m.active = 1)) WHERE conversation_id = ?`,
      [conversationId],
    );
  }

  private withCarried(select: string, values: readonly (string | number)[]): readonly string[] {
    return this.uids(
      `WITH RECURSIVE gone (uid) AS (
         SELECT uid FROM (${select})
         UNION SELECT m.carried_from FROM gone JOIN messages m ON m.uid = gone.uid WHERE m.carried_from IS NOT NULL
       )
       SELECT uid FROM messages m WHERE active = 1 AND (
         uid IN (SELECT uid FROM gone)
         -- A turn that a compression cut in two left its first steps in an earlier segment.
         OR turn_uid IN (SELECT t.uid FROM turns t JOIN gone ON gone.uid = t.user_message_uid)
       ) ORDER BY position`,
      values,
    );
  }

  private uids(sql: string, values: readonly (string | number)[]): readonly string[] {
    return this.database.all(sql, values).map((row) => textOr(row, 'uid', ''));
  }
}
