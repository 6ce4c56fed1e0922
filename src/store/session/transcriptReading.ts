import type { SqlDatabase, SqlRow } from '../engine/sqlDatabase';
import type { TranscriptPage, TranscriptQuery } from '../sessionStore';
import type { Message } from '../../transcript/message';
import type { MessageTable } from './messageTable';
import { invalid } from './refusal';
import type { SessionTable } from './sessionTable';
import { readTurnRow } from './turnRow';

const shown = 'active = 1 AND display_kind IS NULL';

/** Messages in order, for the model and for the surfaces. Every method runs inside its caller's read transaction, so that a message and its
 *  chunks are of one moment. */
export class TranscriptReading {
  constructor(
    private readonly database: SqlDatabase,
    private readonly sessions: SessionTable,
    private readonly messages: MessageTable,
  ) {}

  active(sessionId: string): readonly Message[] {
    this.sessions.require(sessionId);
    return this.messages.readAll(this.database.all('SELECT * FROM messages WHERE session_id = ? AND active = 1 ORDER BY position', [sessionId]));
  }

  page(query: TranscriptQuery): TranscriptPage {
    if (!Number.isInteger(query.limit) || query.limit < 1) throw invalid('a page without room for a message');
    this.sessions.require(query.sessionId);
    const filter = `session_id = ?${query.includeHidden === true ? '' : ` AND ${shown}`}`;
    const rows = this.rowsOf(query, filter);
    const messages = this.messages.readAll(rows);
    const first = messages[0];
    const total = this.database.get(`SELECT count(*) AS n FROM messages WHERE ${filter}`, [query.sessionId])?.['n'];
    return {
      messages,
      turns: this.turnsOf(messages),
      hasEarlier: first !== undefined && this.exists(`${filter} AND position < ?`, [query.sessionId, first.position]),
      total: typeof total === 'number' ? total : 0,
    };
  }

  private rowsOf(query: TranscriptQuery, filter: string): readonly SqlRow[] {
    const before = query.before ?? Number.MAX_SAFE_INTEGER;
    if (query.after !== undefined) {
      return this.database.all(`SELECT * FROM messages WHERE ${filter} AND position > ? AND position < ? ORDER BY position LIMIT ?`, [
        query.sessionId, query.after, before, query.limit,
      ]);
    }
    const newestFirst = this.database.all(`SELECT * FROM messages WHERE ${filter} AND position < ? ORDER BY position DESC LIMIT ?`, [
      query.sessionId, before, query.limit,
    ]);
    return [...newestFirst].reverse();
  }

  private turnsOf(messages: readonly Message[]): TranscriptPage['turns'] {
    const uids = Array.from(new Set(messages.flatMap((message) => message.turnUid ?? [])));
    return this.database
      .all('SELECT * FROM turns WHERE uid IN (SELECT value FROM json_each(?)) ORDER BY id', [JSON.stringify(uids)])
      .map(readTurnRow);
  }

  private exists(where: string, params: readonly (string | number)[]): boolean {
    return this.database.get(`SELECT 1 AS n FROM messages WHERE ${where} LIMIT 1`, params) !== undefined;
  }
}
