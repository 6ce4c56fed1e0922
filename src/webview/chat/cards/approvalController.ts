import type * as code from './Cards';
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Approval, ApprovalDecision, Mode } from '../../../transcript/approval';
import { isRisky } from '../../../transcript/approvalChecks';
import type { Chat } from '../state/chat';
import { LazyComponents } from '../connection/lazyComponents';

export const lazyCards = new LazyComponents<typeof code>();

/** Milliseconds for which a new card ignores the keys that decide: a habitual press was meant for what was there
 *  before. */
const settlingMs = 500;

/** The user's decisions about a working agent: its requests, its permission mode, and running calls. */
export class ApprovalController {
  private readonly inFlight = signal<string | null>(null);
  /** The approval whose decision is being sent: a second press has no effect. */
  readonly deciding: ReadonlySignal<string | null> = this.inFlight;

  private card: { readonly id: string; readonly since: number } | null = null;

  constructor(private readonly chat: Chat) {}

  /** Called when a card appears. */
  appeared(approvalId: string): void {
    this.card = { id: approvalId, since: this.chat.timers.nowMs() };
  }

  /** True when the card is shown for long enough that a key press can mean it. */
  takesKeys(approvalId: string): boolean {
    return this.card?.id === approvalId && this.chat.timers.nowMs() - this.card.since >= settlingMs;
  }

  /** Handles the key that allows, pressed outside the card. A risky request needs the focus on its card. Returns true
   *  when the key was used. */
  allowFromComposer(approval: Approval): boolean {
    // Input is never sent unseen.
    if (approval.request.access.kind === 'input' || isRisky(approval.request) || !this.takesKeys(approval.id))
      return false;
    void this.decide(approval.id, { kind: 'allow', scope: 'once' });
    return true;
  }

  /** Resolves to true when the decision was accepted. Otherwise the reason appears above the composer and the
   *  request stays. */
  async decide(approvalId: string, decision: ApprovalDecision): Promise<boolean> {
    const { chat } = this;
    const { sessionId } = chat;
    if (sessionId === null || this.inFlight.peek() !== null) return false;
    this.inFlight.value = approvalId;
    const done = await chat.ask(() => chat.host.request('decideApproval', { approvalId, decision }));
    this.inFlight.value = null;
    // The decision is on disk; the card disappears immediately.
    if (done) chat.dispatch({ kind: 'approvalDecided', sessionId, approvalId });
    return done;
  }

  /** Applies from the next call. The picker shows the mode once the host has it. */
  async setMode(mode: Mode): Promise<void> {
    const { chat } = this;
    await chat.ask(() => chat.host.request('setMode', { sessionId: chat.sessionId, mode }));
  }

  /** Stops one call; the turn continues. */
  async stopCall(callId: string): Promise<void> {
    const { chat } = this;
    const { sessionId } = chat;
    if (sessionId !== null) await chat.ask(() => chat.host.request('stopCall', { sessionId, callId }));
  }

  /** Continues the turn while the call keeps running. */
  async proceedCall(callId: string): Promise<void> {
    const { chat } = this;
    const { sessionId } = chat;
    if (sessionId !== null) await chat.ask(() => chat.host.request('proceedCall', { sessionId, callId }));
  }
}
