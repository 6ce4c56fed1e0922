import type { SqlRow } from '../../engine/sqlDatabase';
import type { TranscriptPage, TranscriptQuery } from '../../requests';
import type { Message } from '../../../transcript/message';
import type { Session } from '../../../transcript/session';
import { readText, hasRow } from '../tables/columns';
import { invalid } from '../tables/refusal';
import { readTurnRow } from '../tables/turnRow';
import { StorePart } from '../tables/storePart';

interface Segment {
  readonly id: string;
  /** Condition for the segment's rows that are part of the transcript; its parameter is the session. */
  readonly filter: string;
}

/** Condition for a segment's rows. The first segment of a conversation that is not a branch has neither a handoff
 *  nor carried rows; without between on those, SQLite counts its rows in the index alone. */
function filterOf(isPlain: boolean, includeHidden: boolean): string {
  if (isPlain) return includeHidden ? 'session_id = ?' : 'session_id = ? AND active = 1 AND display_kind IS NULL';
  return `session_id = ?
    AND carried_from IS NULL${includeHidden ? '' : " AND active = 1 AND display_kind IS NOT 'closing'"}`;
}

/** Reads messages in order, for the model and for the surfaces. Every method runs inside its caller's read
 *  transaction, so that a message and its chunks are from one moment. */
export class TranscriptReading extends StorePart {
  active(sessionId: string): readonly Message[] {
    this.sessions.require(sessionId);
    return this.activeAfter(sessionId, Number.MIN_SAFE_INTEGER);
  }

  activeAfter(sessionId: string, position: number): readonly Message[] {
    return this.messages.readAll(
      this.database.all(
        'SELECT * FROM messages WHERE session_id = ? AND active = 1 AND position > ? ORDER BY position',
        [sessionId, position],
      ),
    );
  }

  /** Leaves out rows that repeat a row of an earlier segment: that row itself is in the transcript. */
  page(query: TranscriptQuery): Omit<TranscriptPage, 'versions'> {
    if (!Number.isInteger(query.limit) || query.limit < 1) throw invalid('a page without room for a message');
    const segments = this.segmentsOf(this.sessions.require(query.sessionId), query.includeHidden === true);
    const messages = this.messages.readAll(this.rowsOf(query, segments));
    const first = messages[0];
    const last = messages.at(-1)?.position ?? (query.before ?? Number.MAX_SAFE_INTEGER) - 1;
    // Without `before` and `after` this is the newest page, and no rows come after it.
    const later = query.before === undefined && query.after === undefined ? [] : segments;
    return {
      messages,
      turns: this.turnsOf(messages),
      hasEarlier:
        first !== undefined &&
        segments.some(({ id, filter }) => this.exists(`${filter} AND position < ?`, [id, first.position])),
      later:
        query.isCounted === false
          ? 0
          : later.reduce((sum, { id, filter }) => sum + this.count(`${filter} AND position > ?`, [id, last]), 0),
      total:
        query.isCounted === false ? 0 : segments.reduce((sum, { id, filter }) => sum + this.count(filter, [id]), 0),
    };
  }

  /** The segments of a session's conversation, in order. A damaged session that names no conversation is its only
   *  segment. */
  private segmentsOf({ id: sessionId, conversationId }: Session, includeHidden: boolean): readonly Segment[] {
    const rows = this.database.all(
      `SELECT id, parent_kind FROM sessions s
       WHERE conversation_id = ? ORDER BY (SELECT min(position) FROM messages m WHERE m.session_id = s.id) NULLS LAST`,
      [conversationId],
    );
    return (rows.length === 0 ? [{ id: sessionId, parent_kind: 'branch' }] : rows).map((row) => {
      const id = readText(row, 'id', '');
      return { id, filter: filterOf(id === conversationId && row['parent_kind'] !== 'branch', includeHidden) };
    });
  }

  /** Reads segment by segment, each through the index of its positions: their ranges are consecutive. */
  private rowsOf(query: TranscriptQuery, segments: readonly Segment[]): readonly SqlRow[] {
    const between = [
      ...(query.after === undefined ? [] : ['AND position > ?']),
      ...(query.before === undefined ? [] : ['AND position < ?']),
    ].join(' ');
    const bounds = [query.after, query.before].flatMap((place) => place ?? []);
    const isForward = query.after !== undefined;
    const rows: SqlRow[] = [];
    for (const { id, filter } of isForward ? segments : segments.toReversed()) {
      if (rows.length === query.limit) break;
      rows.push(
        ...this.database.all(
          `SELECT * FROM messages WHERE ${filter} ${between} ORDER BY position ${isForward ? 'ASC' : 'DESC'} LIMIT ?`,
          [id, ...bounds, query.limit - rows.length],
        ),
      );
    }
    return isForward ? rows : rows.reverse();
  }

  private turnsOf(messages: readonly Message[]): TranscriptPage['turns'] {
    const uids = Array.from(new Set(messages.flatMap((message) => message.turnUid ?? [])));
    return this.database
      .all('SELECT * FROM turns WHERE uid IN (SELECT value FROM json_each(?)) ORDER BY id', [JSON.stringify(uids)])
      .map(readTurnRow);
  }

  private count(where: string, params: readonly (string | number)[]): number {
    const count = this.database.get(`SELECT count(*) AS n FROM messages WHERE ${where}`, params)?.['n'];
    return typeof count === 'number' ? count : 0;
  }

  private exists(where: string, params: readonly (string | number)[]): boolean {
    return hasRow(this.database, `SELECT 1 AS n FROM messages WHERE ${where} LIMIT 1`, params);
  }
}
