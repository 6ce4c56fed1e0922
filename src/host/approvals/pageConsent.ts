import { shownList, t } from '../../base/translate';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { GatewayError } from '../../gateway/gateway';
import type { Approval, ApprovalDecision, Mode } from '../../transcript/approval';
import { isPlainEdit } from '../../transcript/approvalChecks';
import type { SessionStore } from '../../store/session/sessionStore';

type ApprovalSessions = Pick<SessionStore, 'approval' | 'getSession'>;

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

/** Requests that the host itself must confirm with the user, because a page alone is not trusted with them: rules
 *  that the card did not offer · an approval that was already pending when the page opened its session · Edit
 *  Automatically. */
export type Consent =
  | { readonly kind: 'rules'; readonly rules: readonly string[]; readonly scope: 'session' | 'workspace' | 'user' }
  | { readonly kind: 'waiting'; readonly subject: string }
  | { readonly kind: 'auto' };

interface PageConsentDeps {
  readonly gateway: GatewayPart<'approvals', 'pending' | 'mode'>;
  readonly sessions: Pick<ApprovalSessions, 'approval'>;
  /** Resolves to true when the user agrees in the editor's own dialog. */
  readonly confirm: (asked: Consent) => Promise<boolean>;
}

/** Limits the outside effects that one page may cause. Actions that the page's card offered are done as requested.
 *  The user confirms anything more outside of the page, so that injected script cannot widen permissions. Rejects
 *  with `invalid` when the user does not agree. */
export class PageConsent {
  /** Approvals that were already pending when this page opened their session. */
  private readonly waited = new Set<string>();
  private hasAllowedAuto = false;

  constructor(private readonly deps: PageConsentDeps) {}

  /** Called when the page has opened this session. */
  async opened(sessionId: string): Promise<void> {
    const waiting = await this.deps.gateway.approvals.pending(sessionId);
    if (waiting !== null) this.waited.add(waiting.id);
  }

  async decision(surfaceId: string, approvalId: string, decision: ApprovalDecision): Promise<void> {
    if (decision.kind === 'deny') return;
    const asked = await this.deps.sessions.approval(approvalId);
    if (asked === null) return;
    // The card of a plan or a plain edit offers Edit Automatically and says what it grants.
    const isOffered = asked.request.access.kind === 'plan' || isPlainEdit(asked.request);
    if (decision.scope === 'once' && decision.mode !== undefined && !isOffered)
      await this.mode(surfaceId, asked.sessionId, decision.mode, t('Nothing was decided.'));
    const added =
      decision.scope === 'once' ? [] : decision.rules.filter((rule) => !asked.request.rules.includes(rule.trim()));
    if (decision.scope !== 'once' && added.length > 0)
      await this.agreed({ kind: 'rules', rules: added, scope: decision.scope }, t('Nothing was decided.'));
    else if (this.waited.has(approvalId))
      await this.agreed({ kind: 'waiting', subject: subjectOf(asked, decision) }, t('Nothing was decided.'));
  }

  /** Asks once per page, unless the session is already in that mode. */
  async mode(
    surfaceId: string,
    sessionId: string | null,
    mode: Mode,
    otherwise = t('The mode didn’t change.'),
  ): Promise<void> {
    if (
      mode !== 'auto' ||
      this.hasAllowedAuto ||
      (await this.deps.gateway.approvals.mode(surfaceId, sessionId)) === 'auto'
    )
      return;
    await this.agreed({ kind: 'auto' }, otherwise);
    this.hasAllowedAuto = true;
  }

  private async agreed(asked: Consent, otherwise: string): Promise<void> {
    if (!(await this.deps.confirm(asked))) throw new GatewayError('invalid', otherwise);
  }
}

function subjectOf({ request: { tool, subject, together = [] } }: Approval, decision: ApprovalDecision): string {
  const isForAll = decision.kind === 'allow' && decision.scope === 'once' && decision.together === true;
  return `${tool}: ${shownList([subject, ...(isForAll ? together.map((edit) => edit.subject) : [])])}`;
}
