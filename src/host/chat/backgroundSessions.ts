import type { BackgroundSession } from '../../protocol/chatProtocol';
import type { SessionSummary } from '../../transcript/session';

/** The sessions that answer while another one is shown, and those that have ended so and were not seen since. Sessions that were unread before
 *  are not among them: lists mark those. */
export class BackgroundSessions {
  /** Conversations that were seen answering in the background. */
  private readonly watched = new Set<string>();

  /** From the newest entries of the list; `shown` is the session in view. */
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

  /** The person knows that this conversation is done. */
  dismiss(conversationId: string): void {
    this.watched.delete(conversationId);
  }
}
