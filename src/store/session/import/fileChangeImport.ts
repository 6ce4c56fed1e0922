import type { SqlDatabase, SqlRow } from '../../engine/sqlDatabase';
import { FileChangeTable, hashOf, readFileChange, unpacked } from '../tables/fileChangeTable';
import { textOr } from '../tables/columns';

/** Takes in what another store knows of changed files. A change whose session is not here, and a content that is no longer what its hash names,
 *  stays in the other file. Returns how many rows did. Inside its caller's transaction. */
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
