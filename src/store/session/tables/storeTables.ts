import type { SqlDatabase, SqlRow } from '../../engine/sqlDatabase';
import { SessionTable } from './sessionTable';
import { MessageTable } from './messageTable';
import { TurnTable } from './turnTable';
import { ApprovalTable } from './approvalTable';
import { FileChangeTable } from './fileChangeTable';
import { ActiveRows } from './activeRows';
import { SearchIndex } from './searchIndex';
import { insertRow, textIn, readText, readInteger, readTime } from './columns';
import { StorePart } from './storePart';
import type { ApiContent } from '../../requests';
import { invalid } from './refusal';
import type { NewOutboxEntry, OutboxCount, OutboxEntry } from '../../outbox';

/** Seconds. A longer wait comes from a clock that was ahead; such an entry is due at once. */
const longestWait = 86_400;

/** Rows of `outbox`. Their `id` is the order of adding, because the clock may be set back. Every method runs inside
 *  its caller's transaction. */
class OutboxTable extends StorePart {
  add(entry: NewOutboxEntry): void {
    const { uid, provider, sessionId, kind, payload, createdAt, nextAttemptAt } = entry;
    const times = { created_at: createdAt, next_attempt_at: nextAttemptAt };
    const row = { uid, provider, session_id: sessionId, kind, payload, ...times };
    insertRow(this.database, 'outbox', row, 'ON CONFLICT (uid) DO NOTHING');
  }

  due(provider: string, now: number, limit: number): readonly OutboxEntry[] {
    if (!Number.isInteger(limit) || limit < 1) throw invalid('an outbox batch without entries');
    return this.database
      .all(
        `SELECT * FROM outbox o WHERE provider = ?1 AND NOT (next_attempt_at > ?2 AND next_attempt_at <= ?3)
           AND NOT EXISTS (SELECT 1 FROM outbox e
             WHERE e.provider = o.provider AND e.session_id = o.session_id AND e.id < o.id AND e.next_attempt_at > ?2
             AND e.next_attempt_at <= ?3)
         ORDER BY id LIMIT ?4`,
        [provider, now, now + longestWait, limit],
      )
      .map(readEntry);
  }

  done(uid: string): void {
    this.database.run('DELETE FROM outbox WHERE uid = ?', [uid]);
  }

  failed(uid: string, error: string, nextAttemptAt: number): void {
    this.database.run('UPDATE outbox SET attempts = attempts + 1, last_error = ?, next_attempt_at = ? WHERE uid = ?', [
      error,
      nextAttemptAt,
      uid,
    ]);
  }

  counts(): readonly OutboxCount[] {
    return this.database
      .all(
        `SELECT provider, count(*) AS waiting, sum(attempts > 0) AS failed, min(created_at) AS oldest,
           (SELECT last_error FROM outbox f
             WHERE f.provider = o.provider AND f.attempts > 0 ORDER BY f.id LIMIT 1) AS last_error
         FROM outbox o GROUP BY provider ORDER BY provider`,
      )
      .map((row) => ({
        provider: readText(row, 'provider', ''),
        waiting: readInteger(row, 'waiting', 0),
        failed: readInteger(row, 'failed', 0),
        oldestAt: readTime(row, 'oldest', 0),
        lastError: readText(row, 'last_error', null),
      }));
  }
}

function readEntry(row: SqlRow): OutboxEntry {
  return {
    uid: readText(row, 'uid', ''),
    provider: readText(row, 'provider', ''),
    sessionId: readText(row, 'session_id', ''),
    kind: readText(row, 'kind', ''),
    payload: readText(row, 'payload', ''),
    createdAt: readTime(row, 'created_at', 0),
    nextAttemptAt: readTime(row, 'next_attempt_at', 0),
    attempts: readInteger(row, 'attempts', 0),
    lastError: readText(row, 'last_error', null),
  };
}

/** The column `api_content`. Every method runs inside its caller's transaction. */
class WireTextTable extends StorePart {
  set(messageUid: string, text: string): void {
    const row = this.database.get('SELECT role FROM messages WHERE uid = ?', [messageUid]);
    if (row?.['role'] !== 'user') throw invalid(`message ${messageUid} is no prompt and has no wire text`);
    this.database.run('UPDATE messages SET api_content = ? WHERE uid = ?', [text.toWellFormed(), messageUid]);
  }

  read(row: SqlRow): ApiContent {
    return { messageUid: readText(row, 'uid', ''), text: readText(row, 'api_content', '') };
  }

  /** Copies the wire texts to rows that repeat rows of an earlier segment, so that they are sent identically. */
  carry(sessionId: string): void {
    this.database.run(
      `UPDATE messages SET api_content = (SELECT m.api_content FROM messages m WHERE m.uid = messages.carried_from)
       WHERE session_id = ? AND carried_from IS NOT NULL AND role = 'user'`,
      [sessionId],
    );
  }
}

/** Small durable values by key. */
class MetaTable extends StorePart {
  get(key: string): string | null {
    return textIn(this.database, 'SELECT value FROM state_meta WHERE key = ?', [key]);
  }

  set(key: string, value: string): void {
    this.database.run('INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)', [key, value]);
  }

  delete(key: string): void {
    this.database.run('DELETE FROM state_meta WHERE key = ?', [key]);
  }
}

/** The tables of a store. `now`: seconds since the epoch. */
export class StoreTables {
  readonly sessions = new SessionTable(this);
  readonly messages = new MessageTable(this);
  readonly turns = new TurnTable(this);
  readonly approvals = new ApprovalTable(this);
  readonly files = new FileChangeTable(this);
  readonly outbox = new OutboxTable(this);
  readonly wireTexts = new WireTextTable(this);
  readonly meta = new MetaTable(this);
  readonly rows = new ActiveRows(this);
  readonly index: SearchIndex;

  constructor(
    readonly database: SqlDatabase,
    readonly now: () => number,
  ) {
    this.index = new SearchIndex(database);
  }
}
