import type { SessionOrigin } from '../protocol/chatProtocol';
import type { SessionStore } from '../store/sessionStore';
import type { Session } from '../transcript/session';

/** What a session was branched from; null for one that was not, and when the other one was forgotten. */
export async function originOf(session: Session, sessions: Pick<SessionStore, 'getSession' | 'conversationTip'>): Promise<SessionOrigin | null> {
  const root = session.id === session.conversationId ? session : await sessions.getSession(session.conversationId);
  if (root === null || root.parentKind !== 'branch' || root.parentSessionId === null) return null;
  const origin = await sessions.getSession(await sessions.conversationTip(root.parentSessionId));
  return origin === null ? null : { sessionId: origin.id, title: origin.title, isTrashed: origin.trashedAt !== null };
}
