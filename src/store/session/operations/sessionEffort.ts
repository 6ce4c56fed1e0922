import type { SqlDatabase } from '../../engine/sqlDatabase';
import { reasoningEfforts, type ReasoningEffort } from '../../../transcript/reasoningEffort';
import { oneOf } from '../tables/columns';
import type { SessionTable } from '../tables/sessionTable';

/** Reasoning effort for a conversation's model. Every method runs inside its caller's transaction. */
export class SessionEffort {
  constructor(
    private readonly database: SqlDatabase,
    private readonly sessions: SessionTable,
  ) {}

  of(sessionId: string): ReasoningEffort | null {
    const row = this.database.get('SELECT effort FROM sessions WHERE id = ?', [sessionId]);
    return row === undefined ? null : oneOf(row, 'effort', reasoningEfforts, null);
  }

  /** Sets it on every segment, because it applies to the conversation. */
  set(sessionId: string, effort: ReasoningEffort | null): void {
    const { conversationId } = this.sessions.require(sessionId);
    this.database.run('UPDATE sessions SET effort = ? WHERE conversation_id = ?', [effort, conversationId]);
  }
}
