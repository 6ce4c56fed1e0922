import type { SqlDatabase } from '../../engine/sqlDatabase';

/** Recomputes the conversation of each session: the first segment of its chain of compressions that exists here. */
export function readLineage(database: SqlDatabase): void {
  database.execute(`
    WITH RECURSIVE segments (id, root) AS (
      SELECT id, id FROM sessions s WHERE parent_kind IS NOT 'compression' OR NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id)
      UNION
      SELECT child.id, segments.root FROM segments JOIN sessions child ON child.parent_session_id = segments.id AND child.parent_kind = 'compression'
    )
    UPDATE sessions SET conversation_id = segments.root FROM segments
    WHERE segments.id = sessions.id AND conversation_id IS NOT segments.root`);
}
