import type { SqlValue } from '../../engine/sqlDatabase';
import type { HiddenReason, Message } from '../../../transcript/message';
import { readBoolean, readInteger, readPosition, readText, textIn, texts } from './columns';
import { positionGap } from './messageTable';
import { batchRows } from './inBatches';
import { StorePart } from './storePart';

/** The active rows of a segment from a position on, to be hidden. */
export interface HiddenRange {
  readonly sessionId: string;
  readonly from: number;
  readonly reason: HiddenReason;
  /** The mark to hide them with. */
  readonly version: string | null;
}

/** Rows that were hidden with a mark for one of these reasons. */
export interface MarkedRows {
  readonly mark: string;
  readonly reasons: readonly HiddenReason[];
}

/** Columns that a copy takes from a message. They are copied unread, so that a damaged row is copied as it is.
 *  Values that the schema would refuse are replaced by the value a reader assumes. */
const copied: { readonly [column: string]: string } = {
  role: "iif(role IN ('user', 'assistant', 'tool'), role, 'assistant')",
  content: "coalesce(content, '')",
  parts: "coalesce(parts, '')",
  tool_call_id: '',
  tool_calls: '',
  tool_name: '',
  timestamp: 'coalesce(timestamp, 0)',
  token_count: '',
  finish_reason: '',
  reasoning_content: '',
  reasoning_details: '',
  active: 'coalesce(active, 1)',
  display_kind: '',
  hidden_reason: '',
  state: "iif(state IN ('streaming', 'final'), state, 'final')",
  last_seq: 'coalesce(last_seq, 0)',
  model: '',
  usage: '',
  api_content: '',
  row_version: 'coalesce(row_version, 1)',
};
export const copiedColumns = Object.keys(copied).join(', ');
export const copiedValues = Object.entries(copied)
  .map(([column, value]) => (value === '' ? column : value))
  .join(', ');

/** Hides and shows ranges of rows in the newest segment of a conversation. A row that was carried over from an
 *  earlier segment changes together with the row it repeats, which is the one that surfaces show. Every method runs
 *  inside its caller's transaction.
 *
 *  `CROSS JOIN` and `+session_id` keep SQLite from walking the session from its first row, which it prefers without
 *  statistics. */
export class ActiveRows extends StorePart {
  /** The row of this segment that is the message, or repeats it; null when there is neither or it is hidden. */
  inSegment(sessionId: string, uid: string): Message | null {
    const row = this.database.get(
      `WITH RECURSIVE same (uid) AS (SELECT ? UNION SELECT m.uid FROM same JOIN messages m ON m.carried_from = same.uid)
       SELECT m.* FROM same CROSS JOIN messages m ON m.uid = same.uid WHERE m.session_id = ? AND m.active = 1`,
      [uid, sessionId],
    );
    return row === undefined ? null : this.messages.read(row).message;
  }

  /** The uid of a message in a segment, even if it is hidden: its own, or that of the row that repeats it there. */
  nameInSegment(sessionId: string, uid: string): string {
    return (
      textIn(
        this.database,
        `WITH RECURSIVE same (uid) AS (SELECT ? UNION SELECT m.uid FROM same JOIN messages m ON m.carried_from = same.uid)
       SELECT m.uid FROM same CROSS JOIN messages m ON m.uid = same.uid WHERE m.session_id = ?`,
        [uid, sessionId],
      ) ?? uid
    );
  }

  /** Position of a turn's first active row in a segment; null when it has none there. */
  startOfTurn(sessionId: string, turnUid: string): number | null {
    const row = this.database.get(
      'SELECT min(position) AS start FROM messages WHERE turn_uid = ? AND +session_id = ? AND active = 1',
      [turnUid, sessionId],
    );
    return readPosition(row ?? {}, 'start', null);
  }

  /** Hides a batch of the last active rows of a segment between two positions, together with the rows that belong to
   *  them. `version` marks them as a version of a prompt that can be shown again. `next`: the position before which
   *  to continue; null when none are left. */
  hideBatch(
    { sessionId, from, reason, version }: HiddenRange,
    before: SqlValue,
  ): { readonly uids: readonly string[]; readonly next: SqlValue } {
    const last = this.database.all(
      `SELECT uid, position FROM messages
       WHERE session_id = ? AND active = 1 AND position >= ? AND position < ? ORDER BY position DESC LIMIT ?`,
      [sessionId, from, before, batchRows],
    );
    const uids = this.withCarried(last.map((row) => readText(row, 'uid', '')));
    this.countingTurns(this.turnsOf(uids), () =>
      this.database.run(
        `UPDATE messages SET active = 0, hidden_reason = ?, absorbed_into = NULL, hidden_with = ?
         WHERE uid IN (SELECT value FROM json_each(?))`,
        [reason, version, JSON.stringify(uids)],
      ),
    );
    return { uids, next: last.length < batchRows ? null : (last.at(-1)?.['position'] ?? from) };
  }

  /** Shows a batch of the rows that were hidden with a mark. Empty when none are left. */
  showBatch({ mark, reasons }: MarkedRows): readonly string[] {
    const uids = this.uids(
      `SELECT uid FROM messages WHERE hidden_with = ? AND active = 0
       AND hidden_reason IN (SELECT value FROM json_each(?)) LIMIT ?`,
      [mark, JSON.stringify(reasons), batchRows],
    );
    this.countingTurns(this.turnsOf(uids), () =>
      this.database.run(
        `UPDATE messages SET active = 1, hidden_reason = NULL, hidden_with = NULL
         WHERE uid IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(uids)],
      ),
    );
    return uids;
  }

  /** From a batch of marked rows after an id, returns those that are only in earlier segments, because a compression
   *  does not carry hidden rows over. `next`: the id after which to continue; null when none are left. */
  missingIn(
    tip: string,
    { mark, reasons }: MarkedRows,
    after: number,
  ): {
    readonly missing: readonly { readonly uid: string; readonly position: number }[];
    readonly next: number | null;
  } {
    const rows = this.database.all(
      `SELECT id, uid, position, session_id <> ?3 AND active = 0 AND hidden_reason IN (SELECT value FROM json_each(?2))
           AND NOT EXISTS (SELECT 1 FROM messages c WHERE c.carried_from = m.uid AND c.hidden_with = ?1) AS is_missing
       FROM messages m WHERE hidden_with = ?1 AND id > ?4 ORDER BY id LIMIT ?5`,
      [mark, JSON.stringify(reasons), tip, after, batchRows],
    );
    return {
      missing: rows
        .filter((row) => readBoolean(row, 'is_missing'))
        .map((row) => ({ uid: readText(row, 'uid', ''), position: readPosition(row, 'position', 0) })),
      next: rows.length < batchRows ? null : readInteger(rows.at(-1) ?? {}, 'id', after),
    };
  }

  /** Repeats a batch of marked rows, given in order, at the end of the newest segment, hidden as they are. Returns
   *  the remaining rows. */
  carryBatch<T extends { readonly uid: string }>(tip: string, rows: readonly T[]): readonly T[] {
    this.database.run(
      `INSERT INTO messages (uid, session_id, turn_uid, position, carried_from, hidden_with, ${copiedColumns})
       SELECT ?1 || '/' || uid, ?1, turn_uid, ?2 + (row_number() OVER (ORDER BY position) - 1) * ${positionGap}, uid,
       hidden_with, ${copiedValues}
       FROM messages WHERE uid IN (SELECT value FROM json_each(?3)) ORDER BY position`,
      [tip, this.messages.endPosition(tip), JSON.stringify(rows.slice(0, batchRows).map(({ uid }) => uid))],
    );
    return rows.slice(batchRows);
  }

  /** Changes rows of some turns and updates the turn counts of their sessions: a turn counts if any of its rows is
   *  active. */
  countingTurns<T>(turnUids: readonly string[], change: () => T): T {
    const named = JSON.stringify(turnUids);
    const before = this.activeTurns(named);
    const result = change();
    const after = this.activeTurns(named);
    for (const sessionId of new Set([...before.keys(), ...after.keys()])) {
      const difference = (after.get(sessionId) ?? 0) - (before.get(sessionId) ?? 0);
      if (difference !== 0)
        this.database.run('UPDATE sessions SET turn_count = turn_count + ? WHERE id = ?', [difference, sessionId]);
    }
    return result;
  }

  private activeTurns(named: string): ReadonlyMap<string, number> {
    const rows = this.database.all(
      `SELECT t.session_id, count(*) AS n FROM turns t WHERE t.uid IN (SELECT value FROM json_each(?))
         AND EXISTS (SELECT 1 FROM messages m WHERE m.turn_uid = t.uid AND m.active = 1) GROUP BY t.session_id`,
      [named],
    );
    return new Map(rows.map((row) => [readText(row, 'session_id', ''), readInteger(row, 'n', 0)]));
  }

  private turnsOf(uids: readonly string[]): readonly string[] {
    return texts(
      this.database,
      'SELECT DISTINCT turn_uid FROM messages WHERE uid IN (SELECT value FROM json_each(?)) AND turn_uid IS NOT NULL',
      [JSON.stringify(uids)],
    );
  }

  /** These rows and the active rows that belong to them, in order: the rows they repeat, and, for a turn whose
   *  prompt is among them, the rows that a compression in the middle of the turn left in an earlier segment. */
  private withCarried(uids: readonly string[]): readonly string[] {
    return this.uids(
      `WITH RECURSIVE gone (uid) AS (
         SELECT value FROM json_each(?)
         UNION SELECT m.carried_from FROM gone JOIN messages m ON m.uid = gone.uid WHERE m.carried_from IS NOT NULL
       ), opened (turn_uid) AS (
         SELECT t.uid FROM gone CROSS JOIN messages m ON m.uid = gone.uid
         CROSS JOIN turns t ON t.uid = m.turn_uid AND t.user_message_uid = m.uid
       )
       SELECT uid FROM messages WHERE active = 1 AND id IN (
         SELECT m.id FROM gone CROSS JOIN messages m ON m.uid = gone.uid UNION SELECT m.id FROM opened
         CROSS JOIN messages m ON m.turn_uid = opened.turn_uid
       ) ORDER BY position`,
      [JSON.stringify(uids)],
    );
  }

  private uids(sql: string, values: readonly (string | number)[]): readonly string[] {
    return texts(this.database, sql, values);
  }
}
