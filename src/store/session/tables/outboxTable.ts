import type { SqlRow } from '../../engine/sqlDatabase';
import { readInteger, readText, readTime } from './columns';
import { invalid } from './refusal';
import type { NewOutboxEntry, OutboxCount, OutboxEntry } from '../../outbox';
import { StorePart } from './storePart';

/** Seconds. A longer wait comes from a clock that was ahead; such an entry is due at once. */
const longestWait = 86_400;

/** Rows of `outbox`. Their `id` is the order of adding, because the clock may be set back. Every method runs inside
 *  its caller's transaction. */
export class OutboxTable extends StorePart {
  add(entry: NewOutboxEntry): void {
    this.database.run(
      `INSERT INTO outbox (uid, provider, session_id, kind, payload, created_at, next_attempt_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (uid) DO NOTHING`,
      [entry.uid, entry.provider, entry.sessionId, entry.kind, entry.payload, entry.createdAt, entry.nextAttemptAt],
    );
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
