import type { SqlDatabase } from '../../engine/sqlDatabase';

/** Room for the positions of one segment. Segments of a conversation number their messages in ranges that follow each other, so that a
 *  position orders the messages of the whole conversation. 2^21 segments fit below the largest exact integer. */
const segmentRoom = 2 ** 32;

/** The number before the first position of a session: its place in the chain of compressionScheduler decides. */
export function segmentStart(database: SqlDatabase, sessionId: string): number {
  // UNION, not UNION ALL: a damaged lineage that runs in a circle still ends.
  const row = database.get(
    `WITH RECURSIVE chain (id) AS (
       SELECT ?
       UNION
       SELECT s.parent_session_id FROM chain JOIN sessions s ON s.id = chain.id AND s.parent_kind = 'compression'
     )
     SELECT count(*) - 1 AS earlier FROM chain`,
    [sessionId],
  );
  const earlier = row?.['earlier'];
  return typeof earlier === 'number' ? earlier * segmentRoom : 0;
}
