import type { SqlDatabase } from '../../engine/sqlDatabase';
import { reasoningEfforts, type ReasoningEffort } from '../../../transcript/reasoningEffort';
import { oneOf } from '../tables/columns';
import type { SessionTable } from '../tables/sessionTable';

/** How hard a conversation's model is asked to think. Every method runs inside its caller's transaction. */
export class SessionEffort {
  constructor(
    private readonly database: SqlDatabase,
    private readonly sessions: SessionTable,
  ) {}

  of(sessionId: string): ReasoningEffort | null {
    const row = this.database.get('SELECT effort FROM sessions WHERE id = ?', [sessionId]);
    return row === undefined ? null : oneOf(row, 'effort', reasoningEfforts, null);
  }

  /** Of every segment: whichever is asked later, it is the conversation's. */
  set(sessionId: string, effort: ReasoningEffort | null): void {
    const { conversationId } = this.sessions.require(sessionId);
    this.database.run('UPDATE sessions SET effort = ? WHERE conversation_id = ?', [effort, conversationId]);
  }
}
