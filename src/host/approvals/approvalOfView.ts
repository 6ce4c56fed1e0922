import { t } from '../../base/translate';
import { GatewayError } from '../../gateway/gateway';
import type { SessionStore } from '../../store/sessionStore';

export type ApprovalSessions = Pick<SessionStore, 'approval' | 'getSession'>;

/** Maximum number of parent steps. Sub-agents do not delegate, so one step leads to the delegating session; more are
 *  allowed in case that changes. */
const mostSteps = 8;

/** Rejects with `invalid` unless the approval belongs to the session that the view shows, or to a sub-agent that
 *  works for it: users decide only what they see. An approval that is not stored passes; the later decision handles
 *  it. */
export async function refuseOutdatedApproval(
  sessions: ApprovalSessions,
  shownSession: string | null,
  approvalId: string,
): Promise<void> {
  const asked = await sessions.approval(approvalId);
  if (asked === null) return;
  const shown = shownSession === null ? null : await sessions.getSession(shownSession);
  if (shown !== null && (await worksFor(sessions, asked.sessionId, shown.conversationId))) return;
  throw new GatewayError(
    'invalid',
    t('This request belongs to another session. Nothing was allowed or denied. Open that session to decide.'),
  );
}

/** True when a session belongs to this conversation, or to a sub-agent that works for it. */
async function worksFor(sessions: ApprovalSessions, sessionId: string, conversationId: string): Promise<boolean> {
  let next: string | null = sessionId;
  for (let step = 0; step < mostSteps && next !== null; step++) {
    const session = await sessions.getSession(next);
    if (session === null) return false;
    if (session.conversationId === conversationId) return true;
    const root = session.id === session.conversationId ? session : await sessions.getSession(session.conversationId);
    next = root?.parentKind === 'delegate' ? root.parentSessionId : null;
  }
  return false;
}
