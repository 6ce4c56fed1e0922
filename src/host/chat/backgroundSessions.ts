import type { BackgroundSession } from '../../protocol/chatProtocol';
import type { SessionSummary } from '../../transcript/session';

/** Sessions that answer while another one is shown, and those that finished this way and were not seen since. Leaves
 *  out sessions that were unread before: lists mark those. */
export class BackgroundSessions {
  /** Conversations that were observed answering in the background. */
  private readonly watched = new Set<string>();

  /** Finds background sessions among the newest entries of the list. `shown`: the session in view. */
  among(sessions: readonly SessionSummary[], shown: string | null): readonly BackgroundSession[] {
    return sessions.flatMap((session) => {
      const { id, conversationId, title, preview, lastTurn } = session;
      const answers = lastTurn?.state === 'running' || lastTurn?.state === 'waiting';
      if (id === shown || lastTurn === null || !(answers || (session.unread && this.watched.has(conversationId)))) {
        this.watched.delete(conversationId);
        return [];
      }
      this.watched.add(conversationId);
      return [{ sessionId: id, title: title ?? preview, state: lastTurn.state }];
    });
  }

  /** Called when the user dismisses the mark of this finished conversation. */
  dismiss(conversationId: string): void {
    this.watched.delete(conversationId);
  }
}
