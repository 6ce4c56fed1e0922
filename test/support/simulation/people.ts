import { type BusyMode, GatewayError } from '../../../src/gateway/gateway';
import { StoreError } from '../../../src/store/storeError';
import type { ApprovalDecision } from '../../../src/transcript/approval';
import type { Invariants } from './invariants';
import { sentAlong } from './sentAlong';
import { everything } from './simulatedPolicy';
import type { SimulatedHost } from './simulatedHost';
import { subAgentsOf } from './subAgents';
import type { WatchingSurface } from './watchingSurface';

/** What people do at surfaces. Nothing here is awaited: a person does the next thing whatever became of the last. */
export class People {
  private prompts = 0;
  private last: { readonly uid: string; readonly text: string } | null = null;

  constructor(
    private readonly host: () => SimulatedHost,
    private readonly invariants: Invariants,
  ) {}

  prompt(surface: WatchingSurface, repeated: boolean, busy: BusyMode): void {
    const uid = `p${++this.prompts}`;
    this.last = { uid, text: repeated ? 'again' : `prompt ${this.prompts}` };
    this.submit(this.host(), surface, this.last, busy);
  }

  /** Sends the newest prompt once more under its uid, as a surface does that never heard what became of it. */
  resubmit(surface: WatchingSurface): void {
    if (this.last !== null && this.invariants.prompts.get(this.last.uid) !== null)
      this.submit(this.host(), surface, this.last, 'queue');
  }

  /** In a window that has lost the store. */
  promptAt(former: SimulatedHost, surface: WatchingSurface): void {
    this.submit(former, surface, { uid: `p${++this.prompts}`, text: `prompt ${this.prompts}` }, 'queue');
  }

  show(surface: WatchingSurface, sessionId: string | null | undefined): void {
    if (sessionId === undefined) return;
    const { gateway } = this.host();
    this.inBackground(
      gateway.switching.switchSession(
        surface.id,
        sessionId === null ? { reason: 'new_session' } : { reason: 'resume', sessionId },
      ),
    );
  }

  retry(surface: WatchingSurface): void {
    const { gateway, db } = this.host();
    const sessionId = gateway.surfaces.shownSession(surface.id);
    const last = sessionId === null ? undefined : db.readTranscript({ sessionId, limit: 1 }).messages.at(-1);
    if (last?.turnUid) this.inBackground(gateway.versions.retry(surface.id, last.turnUid));
  }

  changeQueue(change: 'promote' | 'unqueue', sessionId: string): void {
    const { gateway, db } = this.host();
    const queued = db.queue(sessionId).at(-1);
    if (queued === undefined) return;
    if (change === 'promote') return this.inBackground(gateway.queue.promote(queued.uid));
    // From here on it may be gone, or answered, whichever came first.
    this.invariants.prompts.set(queued.uid, null);
    this.inBackground(gateway.queue.remove(queued.uid));
  }

  compress(sessionId: string): void {
    this.inBackground(this.host().gateway.compression.compress(sessionId, null));
  }

  /** Decides about the call that the conversation's turn waits with, of this life or an earlier one, or that a sub-agent of it waits with. */
  decide({ gateway }: SimulatedHost, sessionId: string, how: 'allow' | 'deny' | 'session', again: boolean): void {
    const { db, database } = this.host();
    const pending = [sessionId, ...subAgentsOf(database, sessionId)]
      .map((each) => db.pendingApproval(each))
      .find((approval) => approval !== null);
    if (pending === undefined) return;
    const decisions: readonly ApprovalDecision[] = [
      decisionOf(how),
      ...(again ? [decisionOf(how === 'deny' ? 'allow' : 'deny')] : []),
    ];
    for (const decision of decisions) this.inBackground(gateway.approvals.decide(pending.id, decision));
  }

  /** A refusal in words is an answer like any other; everything else that goes wrong behind our back is a fault. */
  inBackground(work: Promise<unknown> | undefined): void {
    work?.catch((error: unknown) => {
      if (!(error instanceof GatewayError) && !(error instanceof StoreError))
        this.invariants.broken(
          `unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
    });
  }

  private submit(
    { gateway }: SimulatedHost,
    surface: WatchingSurface,
    { uid, text }: { readonly uid: string; readonly text: string },
    busy: BusyMode,
  ): void {
    const confirmed = gateway.intake.submit(surface.id, {
      sessionId: gateway.surfaces.shownSession(surface.id),
      uid,
      text,
      parts: sentAlong(text),
      busy,
    });
    this.inBackground(confirmed.then(() => this.invariants.confirmed(uid, text)));
  }
}

function decisionOf(how: 'allow' | 'deny' | 'session'): ApprovalDecision {
  if (how === 'deny') return { kind: 'deny', reason: null };
  return how === 'allow' ? { kind: 'allow', scope: 'once' } : { kind: 'allow', scope: 'session', rules: [everything] };
}
