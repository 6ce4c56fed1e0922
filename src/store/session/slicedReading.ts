import type { SqlDatabase, SqlRow, SqlValue } from '../engine/sqlDatabase';
import { type SlicedWork, sliceTimer } from '../slicedWork';
import { countedWith, estimateRows } from '../../transcript/contextUse';
import type { Message } from '../../transcript/message';
import { countOf } from './tables/columns';
import { batchRows, type Transactions } from './tables/transactions';

/** Reads rows of a session in order of position, in each read transaction as many as fit into a slice. Leaves out
 *  rows added after the last row once reading has started. The caller ensures that nothing else of the session
 *  changes meanwhile, except for text added to its last row. `where`: a condition on the rows. */
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
          `SELECT * FROM messages
           WHERE session_id = ? AND position > ? AND position <= ? AND ${where} ORDER BY position LIMIT ?`,
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

/** Tokens of a session's active rows as `contextUse` says. Reads backward from the end to the newest answer that was
 *  counted. */
export function* historyTokensInSlices(
  database: SqlDatabase,
  sessionId: string,
  read: (row: SqlRow) => Message,
  transactions: Transactions,
): SlicedWork<number> {
  const after: Message[] = [];
  let before: SqlValue = null;
  for (;;) {
    const timer = sliceTimer(transactions.monotonicMs);
    const found = transactions.read(() => {
      do {
        const rows: readonly SqlRow[] = database.all(
          `SELECT * FROM messages
           WHERE session_id = ? AND position > ? AND ${before === null ? '' : 'position < ? AND'} active = 1
           ORDER BY position DESC LIMIT ?`,
          [sessionId, Number.MIN_SAFE_INTEGER, ...(before === null ? [] : [before]), batchRows],
        );
        for (const row of rows) {
          const message = read(row);
          const counted = countedWith(message);
          if (counted !== null) return { tokens: counted + estimateRows(after) };
          after.push(message);
        }
        if (rows.length < batchRows) return { tokens: estimateRows(after) };
        before = rows.at(-1)?.['position'] ?? null;
      } while (!timer.isFull());
      return null;
    });
    if (found !== null) return found.tokens;
    yield undefined;
  }
}
