import { signal, type ReadonlySignal } from '@preact/signals';
import type { ApprovalDecision, Mode } from '../../../protocol/transcriptTypes';
import type * as v from 'valibot';
import type { chatRequests } from '../../../protocol/chatProtocol';
import type { HostRequests } from '../connection/hostRequests';

type SentDecision = v.InferInput<typeof chatRequests.decideApproval>['decision'];

export interface ApprovalNeeds {
  readonly requests: HostRequests;
  readonly shownSession: () => string | null;
  readonly decide: (approvalId: string, decision: ApprovalDecision) => Promise<unknown>;
  /** What was decided is on disk. */
  readonly decided: (sessionId: string, approvalId: string) => void;
  readonly setMode: (sessionId: string | null, mode: Mode) => Promise<unknown>;
  readonly stopCall: (sessionId: string, callId: string) => Promise<unknown>;
  readonly proceedCall: (sessionId: string, callId: string) => Promise<unknown>;
}

/** What a person decides about an agent at work: what it asks, how freely it may act, and calls that run. */
export class ApprovalController {
  private readonly inFlight = signal<string | null>(null);

  constructor(private readonly needs: ApprovalNeeds) {}

  /** The approval whose decision is on its way: a second press decides nothing more. */
  get deciding(): ReadonlySignal<string | null> {
    return this.inFlight;
  }

  /** Whether it was taken; if not, the reason stands above the composer and the question stays. */
  async decide(approvalId: string, decision: ApprovalDecision): Promise<boolean> {
    const sessionId = this.needs.shownSession();
    if (sessionId === null || this.inFlight.peek() !== null) return false;
    this.inFlight.value = approvalId;
    const done = await this.needs.requests.ask(() => this.needs.decide(approvalId, decision));
    this.inFlight.value = null;
    if (done) this.needs.decided(sessionId, approvalId);
    return done;
  }

  /** From the next call on. The picker shows it once the host has it. */
  async setMode(mode: Mode): Promise<void> {
    await this.needs.requests.ask(() => this.needs.setMode(this.needs.shownSession(), mode));
  }

  /** Ends one call; the turn goes on. */
  async stopCall(callId: string): Promise<void> {
    const sessionId = this.needs.shownSession();
    if (sessionId !== null) await this.needs.requests.ask(() => this.needs.stopCall(sessionId, callId));
  }

  /** The turn goes on while the call keeps running. */
  async proceedCall(callId: string): Promise<void> {
    const sessionId = this.needs.shownSession();
    if (sessionId !== null) await this.needs.requests.ask(() => this.needs.proceedCall(sessionId, callId));
  }
}

/** As it goes to the host. */
export function plainDecision(decision: ApprovalDecision): SentDecision {
  if (decision.kind === 'deny') return decision;
  return decision.scope === 'once'
    ? { kind: 'allow', scope: 'once' }
    : { kind: 'allow', scope: decision.scope, rules: [...decision.rules] };
}
