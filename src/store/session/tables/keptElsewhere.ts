import type { SqlDatabase } from '../../engine/sqlDatabase';
import { hasRow } from './columns';

/** False in a store that was never synchronized: it has none of these tables. */
export function isSynced(database: SqlDatabase): boolean {
  return hasRow(database, "SELECT 1 AS n FROM sqlite_schema WHERE type = 'table' AND name = 'sync_kept'");
}

/** True when the server has some of the conversations of these sessions, and does not know of a change in them.
 *  `sessionIds`: JSON. */
export function isUnsent(database: SqlDatabase, sessionIds: string): boolean {
  const sql = `SELECT 1 AS n FROM sessions s JOIN sync_changes c ON c.conversation_id = s.conversation_id
    WHERE s.id IN (SELECT value FROM json_each(?)) AND s.private = 0 AND ${isOnServer('s.conversation_id')}`;
  return isSynced(database) && hasRow(database, sql, [sessionIds]);
}

/** Notes that the conversations of these sessions are removed here only. `sessionIds`: JSON. Runs inside its caller's
 *  transaction, before they are erased. */
export function noteKept(database: SqlDatabase, root: string, sessionIds: string): void {
  if (!isSynced(database)) return;
  database.run(
    `INSERT OR REPLACE INTO sync_kept (conversation_id, root, version)
     SELECT DISTINCT s.conversation_id, ?1, coalesce(c.version, 0) FROM sessions s
       LEFT JOIN sync_conversations c ON c.conversation_id = s.conversation_id
     WHERE s.id IN (SELECT value FROM json_each(?2))`,
    [root, sessionIds],
  );
  // What another machine did and is not here yet decides if it comes again.
  database.run(
    `UPDATE sync_heads SET is_left = 1 WHERE conversation_id IN (SELECT conversation_id FROM sync_kept WHERE root = ?)
       AND EXISTS (SELECT 1 FROM sync_conversations c JOIN sync_chain k ON k.conversation_id = c.conversation_id
         AND k.version = c.version
         WHERE c.conversation_id = sync_heads.conversation_id AND c.version = sync_heads.version
           AND k.tail IS sync_heads.tail)`,
    [root],
  );
}

/** The conversation and those that were removed with it are received again. Runs inside its caller's transaction. */
export function noteWanted(database: SqlDatabase, conversationId: string): void {
  const own = 'conversation_id IN (SELECT conversation_id FROM sync_kept WHERE ?1 IN (root, conversation_id))';
  database.run(`UPDATE sync_heads SET is_left = 0 WHERE ${own}`, [conversationId]);
  database.run('DELETE FROM sync_kept WHERE ?1 IN (root, conversation_id)', [conversationId]);
}

/** SQL: true for a conversation that the server has, as far as it was read. */
export function isOnServer(conversationId: string): string {
  return `(EXISTS (SELECT 1 FROM sync_conversations WHERE conversation_id = ${conversationId})
         OR EXISTS (SELECT 1 FROM sync_heads WHERE conversation_id = ${conversationId} AND is_left = 0))`;
}
