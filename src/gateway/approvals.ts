import type { Clock } from '../base/clock';
import type { SessionStore } from '../store/sessionStore';
import { StoreError } from '../store/storeError';
import type { Approval, ApprovalDecision, Mode } from '../transcript/approval';
import { GatewayError } from './gateway';
import type { SessionDirectory } from './sessionDirectory';
import type { SurfaceRegistry } from './surfaceRegistry';

interface ApprovalParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly sessions: SessionDirectory;
  readonly surfaces: SurfaceRegistry;
  readonly defaultMode?: () => Mode;
}

/** What a person decides about a turn at work, and how freely its agent may act. */
export class Approvals {
  constructor(private readonly parts: ApprovalParts) {}

  async decide(approvalId: string, decision: ApprovalDecision): Promise<void> {
    refuseBlankRules(decision);
    try {
      await this.parts.store.decideApproval(approvalId, decision, this.parts.clock.now());
    } catch (error) {
      if (error instanceof StoreError && error.causeClass === 'not-found') throw new GatewayError('notFound', 'What was asked is no longer stored. Nothing was allowed.');
      throw error;
    }
  }

  pending(sessionId: string): Promise<Approval | null> {
    return this.parts.store.pendingApproval(sessionId);
  }

  async mode(surfaceId: string, sessionId: string | null): Promise<Mode> {
    const chosen = sessionId === null ? this.parts.surfaces.beginningAt(surfaceId).mode : await this.parts.store.sessionMode(sessionId);
    return chosen ?? this.usualMode;
  }

  async setMode(surfaceId: string, sessionId: string | null, mode: Mode): Promise<void> {
    const { store, sessions, surfaces } = this.parts;
    if (sessionId === null) return surfaces.setBeginningMode(surfaceId, mode);
    await sessions.get(sessionId);
    await store.setSessionMode(sessionId, mode);
    surfaces.tellAll({ kind: 'modeChanged', sessionId, mode });
  }

  private get usualMode(): Mode {
    return this.parts.defaultMode?.() ?? 'ask';
  }
}

function refuseBlankRules(decision: ApprovalDecision): void {
  if (decision.kind === 'deny' || decision.scope === 'once') return;
  if (decision.rules.length === 0 || decision.rules.some((rule) => rule.trim() === '')) throw new GatewayError('invalid', 'A rule cannot be empty. Write what is to be allowed, or allow it once.');
}
