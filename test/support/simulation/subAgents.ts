import type { SqlDatabase } from '../../../src/store/engine/sqlDatabase';

/** Conversations of the sub-agents that any segment of a conversation started, oldest first. */
export function subAgentsOf(database: SqlDatabase, conversationId: string): readonly string[] {
  return database
    .all(
      "SELECT d.id FROM sessions d JOIN sessions p ON p.id = d.parent_session_id WHERE d.parent_kind = 'delegate' AND p.conversation_id = ? ORDER BY d.rowid",
      [conversationId],
    )
    .map((row) => String(row['id']));
}
