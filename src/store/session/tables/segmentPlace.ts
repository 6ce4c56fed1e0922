import type { SqlDatabase } from '../../engine/sqlDatabase';

/** Size of the position range of one segment. Segments of a conversation use consecutive ranges, so that a position
 *  orders the messages of the whole conversation. 2^21 segments fit below the largest exact integer. */
const segmentRoom = 2 ** 32;

/** The number before the first position of a session, derived from its place in the chain of compressions. */
export function segmentStart(database: SqlDatabase, sessionId: string): number {
  // UNION, not UNION ALL: a cyclic (damaged) lineage still ends.
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
