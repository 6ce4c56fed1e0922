import type { SqlDatabase } from '../../../../../store/engine/sqlDatabase';
import type { ExportedTable, StoreRow } from '../../sources/hermesExport/exportFormat';

const ofSession: readonly (readonly [ExportedTable, string])[] = [
  ['sessions', 'SELECT * FROM sessions WHERE id = ? AND pending IS NULL'],
  ['turns', 'SELECT * FROM turns WHERE session_id = ? ORDER BY id'],
  ['messages', 'SELECT * FROM messages WHERE session_id = ? ORDER BY id'],
  [
    'stream_chunks',
    `SELECT c.* FROM messages m JOIN stream_chunks c ON c.message_uid = m.uid
     WHERE m.session_id = ? ORDER BY m.id, c.seq`,
  ],
  [
    'message_revisions',
    'SELECT r.* FROM messages m JOIN message_revisions r ON r.message_uid = m.uid WHERE m.session_id = ? ORDER BY r.id',
  ],
  ['approvals', 'SELECT * FROM approvals WHERE session_id = ? ORDER BY rowid'],
  ['queue', 'SELECT * FROM queue WHERE session_id = ? ORDER BY place'],
  ['drafts', 'SELECT * FROM drafts WHERE key = ?'],
  ['file_changes', 'SELECT * FROM file_changes WHERE session_id = ? ORDER BY id'],
];

/** All rows of the given sessions, session by session, then the contents of changed files, each once. Leaves out
 *  sessions that are still being made or erased. */
export function* rowsOfSessions(
  database: SqlDatabase,
  sessionIds: readonly string[],
  withFileContents: boolean,
): Generator<StoreRow> {
  const whole = sessionIds.filter(
    (id) => database.get('SELECT 1 AS n FROM sessions WHERE id = ? AND pending IS NULL', [id]) !== undefined,
  );
  for (const id of whole)
    for (const [table, sql] of ofSession) for (const row of database.iterate(sql, [id])) yield { table, row };
  if (!withFileContents) return;
  const contents = database.iterate(
    `SELECT * FROM file_contents WHERE hash IN (
       SELECT iif(k.n = 0, before_hash, after_hash) FROM file_changes c, (SELECT 0 AS n UNION ALL SELECT 1) k
       WHERE c.session_id IN (SELECT value FROM json_each(?))) ORDER BY hash`,
    [JSON.stringify(whole)],
  );
  for (const row of contents) yield { table: 'file_contents', row };
}
