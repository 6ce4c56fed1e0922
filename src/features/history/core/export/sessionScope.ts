import type { SqlDatabase } from '../../../../store/engine/sqlDatabase';
import { sessionsOf } from '../../../../store/library/library';
import { readText } from '../../../../store/session/tables/columns';

/** The sessions to export. A session stands for its whole conversation and the sessions of its sub-agents. */
export type ExportScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'sessions'; readonly ids: readonly string[] }
  | { readonly kind: 'folder'; readonly folder: string };

/** Ids of the sessions in a scope, parents before their children. Throws an `Error` for an id that is not stored. */
export function sessionsIn(database: SqlDatabase, scope: ExportScope): readonly string[] {
  const all = sessionsOf(database, null).sessionIds;
  if (scope.kind === 'all') return all;
  const named = scope.kind === 'sessions' ? scope.ids : ofFolder(database, scope.folder);
  const wanted = new Set<string>();
  for (const id of named) {
    const { sessionIds } = sessionsOf(database, id);
    if (sessionIds.length === 0) throw new Error(`There is no session ${id} in this store.`);
    for (const session of sessionIds) wanted.add(session);
  }
  return all.filter((id) => wanted.has(id));
}

/** The newest segment of each conversation among these sessions: what a reader opens to see all of it. */
export function newestSegments(database: SqlDatabase, sessionIds: readonly string[]): readonly string[] {
  return database
    .all(
      `SELECT s.id FROM json_each(?) named JOIN sessions s ON s.id = named.value
       WHERE s.pending IS NULL AND NOT EXISTS (
         SELECT 1 FROM sessions c
         WHERE c.parent_session_id = s.id AND c.parent_kind = 'compression' AND c.pending IS NULL)
       ORDER BY named.key`,
      [JSON.stringify(sessionIds)],
    )
    .map((row) => readText(row, 'id', ''));
}

function ofFolder(database: SqlDatabase, folder: string): readonly string[] {
  return database.all('SELECT id FROM sessions WHERE cwd = ?', [folder]).map((row) => readText(row, 'id', ''));
}
