import { signal, type ReadonlySignal } from '@preact/signals';
import { isRisky, type Approval, type ApprovalDecision, type Mode } from '../../../protocol/transcriptTypes';
import type * as v from 'valibot';
import type { chatRequests } from '../../../protocol/chatProtocol';
import type { HostRequests } from '../connection/hostRequests';

type SentDecision = v.InferInput<typeof chatRequests.decideApproval>['decision'];

export interface ApprovalNeeds {
  readonly requests: HostRequests;
  readonly shownSession: () => string | null;
  readonly nowMs: () => number;
  readonly decide: (approvalId: string, decision: ApprovalDecision) => Promise<unknown>;
  /** What was decided is on disk. */
  readonly decided: (sessionId: string, approvalId: string) => void;
  readonly setMode: (sessionId: string | null, mode: Mode) => Promise<unknown>;
  readonly stopCall: (sessionId: string, callId: string) => Promise<unknown>;
  readonly proceedCall: (sessionId: string, callId: string) => Promise<unknown>;
}

/** Milliseconds for which a new card ignores the keys that decide: a habitual press was meant for what was there
 *  before. */
const settlingMs = 500;

/** The user's decisions about a working agent: its requests, its permission mode, and running calls. */
export class ApprovalController {
  private readonly inFlight = signal<string | null>(null);

  private card: { readonly id: string; readonly since: number } | null = null;

  constructor(private readonly needs: ApprovalNeeds) {}

  /** Called when a card appears. */
  appeared(approvalId: string): void {
    this.card = { id: approvalId, since: this.needs.nowMs() };
  }

  /** True when the card is shown for long enough that a key press can mean it. */
  takesKeys(approvalId: string): boolean {
    return this.card?.id === approvalId && this.needs.nowMs() - this.card.since >= settlingMs;
  }

  /** Handles the key that allows, pressed outside the card. A risky request needs the focus on its card. Returns true
   *  when the key was used. */
  allowFromComposer(approval: Approval): boolean {
    if (isRisky(approval.request) || !this.takesKeys(approval.id)) return false;
    void this.decide(approval.id, { kind: 'allow', scope: 'once' });
    return true;
  }

  /** The approval whose decision is being sent: a second press has no effect. */
  get deciding(): ReadonlySignal<string | null> {
    return this.inFlight;
  }

  /** Resolves to true when the decision was accepted. Otherwise the reason appears above the composer and the
   *  request stays. */
  async decide(approvalId: string, decision: ApprovalDecision): Promise<boolean> {
    const sessionId = this.needs.shownSession();
    if (sessionId === null || this.inFlight.peek() !== null) return false;
    this.inFlight.value = approvalId;
    const done = await this.needs.requests.ask(() => this.needs.decide(approvalId, decision));
    this.inFlight.value = null;
    if (done) this.needs.decided(sessionId, approvalId);
    return done;
  }

  /** Applies from the next call. The picker shows the mode once the host has it. */
  async setMode(mode: Mode): Promise<void> {
    await this.needs.requests.ask(() => this.needs.setMode(this.needs.shownSession(), mode));
  }

  /** Stops one call; the turn continues. */
  async stopCall(callId: string): Promise<void> {
    const sessionId = this.needs.shownSession();
    if (sessionId !== null) await this.needs.requests.ask(() => this.needs.stopCall(sessionId, callId));
  }

  /** Continues the turn while the call keeps running. */
  async proceedCall(callId: string): Promise<void> {
    const sessionId = this.needs.shownSession();
    if (sessionId !== null) await this.needs.requests.ask(() => this.needs.proceedCall(sessionId, callId));
  }
}

/** Converts the decision to the form the host receives. */
export function plainDecision(decision: ApprovalDecision): SentDecision {
  if (decision.kind === 'deny') return decision;
  return decision.scope === 'once'
    ? { ...decision }
    : { kind: 'allow', scope: decision.scope, rules: [...decision.rules] };
}
