import type { SqlDatabase, SqlRow } from '../../engine/sqlDatabase';
import { FileChangeTable, hashOf, readFileChange, unpacked } from '../tables/fileChangeTable';
import { textOr } from '../tables/columns';

/** Imports another store's records of changed files. Skips a change whose session does not exist here, and a content
 *  that no longer matches its hash; they stay in the other file. Returns the number of skipped rows. Runs inside its
 *  caller's transaction. */
export function importFileChanges(
  database: SqlDatabase,
  changes: Iterable<SqlRow>,
  contents: Iterable<SqlRow>,
): number {
  const table = new FileChangeTable(database);
  let skipped = 0;
  for (const row of changes) {
    const change = readFileChange(row);
    const hasSession = database.get('SELECT 1 AS n FROM sessions WHERE id = ?', [change.sessionId]) !== undefined;
    if (hasSession && change.uid !== '' && change.path !== '') table.record([change], []);
    else skipped++;
  }
  for (const row of contents) {
    const bytes = unpacked(row);
    const hash = textOr(row, 'hash', '');
    if (bytes !== null && hashOf(bytes) === hash) table.record([], [{ hash, bytes }]);
    else skipped++;
  }
  return skipped;
}
