import { type Decisions, LeftWaiting } from '../agent/liveRun';
import { TurnStop } from '../agent/turnStop';
import type { Approval } from '../transcript/approval';

interface Waiting {
  readonly approval: Approval;
  resolve(decided: Approval): void;
  reject(reason: Error): void;
}

/** The place where the run of one turn waits for the user, for one decision at a time. */
export class TurnDecisions implements Decisions {
  private waiting: Waiting | null = null;
  /** A decision that came before the run began to wait for it. */
  private early: Approval | null = null;

  /** The approval that the run waits for. */
  get pending(): Approval | null {
    return this.waiting?.approval ?? null;
  }

  wait(approval: Approval, signal: AbortSignal): Promise<Approval> {
    const { early } = this;
    this.early = null;
    if (approval.state.kind !== 'pending') return Promise.resolve(approval);
    if (early?.id === approval.id) return Promise.resolve(early);
    return new Promise<Approval>((resolve, reject) => {
      const onStop = (): void => reject(signal.reason instanceof Error ? signal.reason : new TurnStop('user'));
      this.waiting = { approval, resolve, reject };
      if (signal.aborted) onStop();
      else signal.addEventListener('abort', onStop, { once: true });
    }).finally(() => {
      this.waiting = null;
    });
  }

  /** Continues the run with a decision that is already on disk. */
  hand(decided: Approval): void {
    if (this.waiting === null) this.early = decided;
    else if (this.waiting.approval.id === decided.id) this.waiting.resolve(decided);
  }

  /** Ends the run if it is waiting; its turn stays `waiting`. Returns true when it ended the run. */
  leave(): boolean {
    this.waiting?.reject(new LeftWaiting());
    return this.waiting !== null;
  }
}
