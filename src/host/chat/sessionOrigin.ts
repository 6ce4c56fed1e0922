import type { SessionOrigin } from '../../protocol/chatProtocol';
import type { SessionStore } from '../../store/sessionStore';
import type { Session } from '../../transcript/session';

/** Origin of a session: the session it was branched from or works for as a sub-agent, or a note that this one was
 *  erased. Null for any other session, and for one imported without its origin. */
export async function originOf(
  session: Session,
  sessions: Pick<SessionStore, 'getSession' | 'conversationTip'>,
): Promise<SessionOrigin | null> {
  const root = session.id === session.conversationId ? session : await sessions.getSession(session.conversationId);
  if (root?.parentKind !== 'branch' && root?.parentKind !== 'delegate') return null;
  if (root.parentSessionId === null) return { sessionId: null };
  const origin = await sessions.getSession(await sessions.conversationTip(root.parentSessionId));
  return origin === null
    ? null
    : {
        sessionId: origin.id,
        title: origin.title,
        isTrashed: origin.trashedAt !== null,
        ...(root.parentKind === 'delegate' ? { hasSubAgent: true } : {}),
      };
}
