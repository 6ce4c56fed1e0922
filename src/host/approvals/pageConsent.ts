import { GatewayError, type Gateway } from '../../gateway/gateway';
import type { Approval, ApprovalDecision, Mode } from '../../transcript/approval';
import type { ApprovalSessions } from './approvalOfView';

/** What the host asks the person itself, because a page alone cannot vouch for it: rules that the card did not offer · a question that waited in a
 *  session which the page opened by itself · Edit Automatically. */
export type Consent =
  | { readonly kind: 'rules'; readonly rules: readonly string[]; readonly scope: 'session' | 'workspace' | 'user' }
  | { readonly kind: 'waiting'; readonly subject: string }
  | { readonly kind: 'auto' };

export interface PageConsentNeeds {
  readonly gateway: Pick<Gateway, 'pendingApproval' | 'mode'>;
  readonly sessions: Pick<ApprovalSessions, 'approval'>;
  /** Whether the person agrees, in the editor's own dialog. */
  readonly confirm: (asked: Consent) => Promise<boolean>;
}

/** What one page may do with effects outside of it. What its card offered is done as it says; anything more the person confirms outside of the page,
 *  so that script that got into it cannot widen what is allowed. Rejects with `invalid` where the person does not agree. */
export class PageConsent {
  /** Questions that waited already when this page opened their session. */
  private readonly waited = new Set<string>();
  private hasAllowedAuto = false;

  constructor(private readonly needs: PageConsentNeeds) {}

  /** The page has opened this session. */
  async opened(sessionId: string): Promise<void> {
    const waiting = await this.needs.gateway.pendingApproval(sessionId);
    if (waiting !== null) this.waited.add(waiting.id);
  }

  async decision(approvalId: string, decision: ApprovalDecision): Promise<void> {
    if (decision.kind === 'deny') return;
    const asked = await this.needs.sessions.approval(approvalId);
    if (asked === null) return;
    const added =
      decision.scope === 'once' ? [] : decision.rules.filter((rule) => !asked.request.rules.includes(rule.trim()));
    if (decision.scope !== 'once' && added.length > 0)
      await this.agreed({ kind: 'rules', rules: added, scope: decision.scope }, 'Nothing was decided.');
    else if (this.waited.has(approvalId))
      await this.agreed({ kind: 'waiting', subject: subjectOf(asked) }, 'Nothing was decided.');
  }

  /** Asked once per page; not where the session is in that mode already. */
  async mode(surfaceId: string, sessionId: string | null, mode: Mode): Promise<void> {
    if (mode !== 'auto' || this.hasAllowedAuto || (await this.needs.gateway.mode(surfaceId, sessionId)) === 'auto')
      return;
    await this.agreed({ kind: 'auto' }, 'The mode didn’t change.');
    this.hasAllowedAuto = true;
  }

  private async agreed(asked: Consent, otherwise: string): Promise<void> {
    if (!(await this.needs.confirm(asked))) throw new GatewayError('invalid', otherwise);
  }
}

function subjectOf({ request: { tool, subject } }: Approval): string {
  return `${tool}: ${subject}`;
}
