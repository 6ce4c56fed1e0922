import type { SqlDatabase, SqlRow } from '../../engine/sqlDatabase';
import { oneOf, readText, hasRow } from '../tables/columns';
import { hashOf, readFileChange, unpacked } from '../tables/fileChangeTable';
import type { StoreTables } from '../tables/storeTables';

/** Recomputes the conversation of each session: the first segment of its chain of compressions that exists here. */
export function readLineage(database: SqlDatabase): void {
  database.execute(`
    WITH RECURSIVE segments (id, root) AS (
      SELECT id, id FROM sessions s
      WHERE parent_kind IS NOT 'compression' OR NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id)
      UNION
      SELECT child.id, segments.root FROM segments
      JOIN sessions child ON child.parent_session_id = segments.id AND child.parent_kind = 'compression'
    )
    UPDATE sessions SET conversation_id = segments.root FROM segments
    WHERE segments.id = sessions.id AND conversation_id IS NOT segments.root`);
}

/** Imports approvals of another store, after the turns. An approval becomes `expired` unless its turn waits for it
 *  here. Returns the number of rows that belong to no session. */
export function importApprovals(database: SqlDatabase, rows: readonly SqlRow[], insert: (row: SqlRow) => void): number {
  let skipped = 0;
  for (const row of rows) {
    if (!hasRow(database, 'SELECT 1 AS n FROM sessions WHERE id = ?', [readText(row, 'session_id', '')])) {
      skipped++;
      continue;
    }
    const waits = hasRow(database, "SELECT 1 AS n FROM turns WHERE state = 'waiting' AND approval_id = ?", [
      readText(row, 'id', ''),
    ]);
    const state = oneOf(row, 'state', ['pending', 'decided', 'expired'], 'expired');
    insert({ ...row, state: state === 'pending' && !waits ? 'expired' : state });
  }
  return skipped;
}

/** Imports another store's records of changed files. Skips a change whose session does not exist here, and a content
 *  that no longer matches its hash; they stay in the other file. Returns the number of skipped rows. Runs inside its
 *  caller's transaction. */
export function importFileChanges(
  { database, files }: StoreTables,
  changes: Iterable<SqlRow>,
  contents: Iterable<SqlRow>,
): number {
  let skipped = 0;
  for (const row of changes) {
    const change = readFileChange(row);
    const hasSession = hasRow(database, 'SELECT 1 AS n FROM sessions WHERE id = ?', [change.sessionId]);
    if (hasSession && change.uid !== '' && change.path !== '') files.record([change], []);
    else skipped++;
  }
  for (const row of contents) {
    const bytes = unpacked(row);
    const hash = readText(row, 'hash', '');
    if (bytes !== null && hashOf(bytes) === hash) files.record([], [{ hash, bytes }]);
    else skipped++;
  }
  return skipped;
}
