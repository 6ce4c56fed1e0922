import type { SqlDatabase, SqlRow, SqlValue } from '../engine/sqlDatabase';
import { type SlicedWork, sliceTimer } from '../slicedWork';
import { countOf } from './tables/columns';
import { batchRows, type Transactions } from './tables/transactions';

/** Rows of a session in order of position, as many in one read transaction as go into a slice. What is put behind the last row after the reading began
 *  is left out; whoever calls sees to it that nothing else of the session changes meanwhile but text that is added to its last row. `where`: a
 *  condition on the rows. */
export function* rowsInSlices<T>(
  database: SqlDatabase,
  sessionId: string,
  where: string,
  read: (row: SqlRow) => T,
  transactions: Transactions,
): SlicedWork<readonly T[], T> {
  const last =
    database.get('SELECT max(position) AS last FROM messages WHERE session_id = ?', [sessionId])?.['last'] ?? 0;
  const total = countOf(database, 'SELECT count(*) AS n FROM messages WHERE session_id = ?', [sessionId]);
  let after: SqlValue = Number.MIN_SAFE_INTEGER;
  let done = 0;
  for (;;) {
    const timer = sliceTimer(transactions.monotonicMs);
    const entries: T[] = [];
    const isWhole = transactions.read(() => {
      do {
        const rows = database.all(
          `SELECT * FROM messages WHERE session_id = ? AND position > ? AND position <= ? AND ${where} ORDER BY position LIMIT ?`,
          [sessionId, after, last, batchRows],
        );
        for (const row of rows) entries.push(read(row));
        if (rows.length < batchRows) return true;
        after = rows.at(-1)?.['position'] ?? last;
      } while (!timer.isFull());
      return false;
    });
    if (isWhole) return entries;
    done += entries.length;
    yield { entries, progress: { done: Math.min(done, total), total } };
  }
}
