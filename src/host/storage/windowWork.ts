import type { Gateway } from '../../gateway/gateway';
import type { WorkGuard } from '../../store/ownership/storeConnection';

/** Ends the work of this window when another one takes over: stops turns, and waits for compressions, whose
 *  summaries are paid. A turn that awaits approval blocks nothing: it stays `waiting` in the store. */
export class WindowWork implements WorkGuard {
  constructor(private readonly gateway: Pick<Gateway, 'runningTurns' | 'stop' | 'compressionsEnd' | 'leaveWaiting'>) {}

  async settle(): Promise<void> {
    const { gateway } = this;
    await gateway.compressionsEnd();
    // After them: a compression starts the prompts that were sent meanwhile.
    const sessions = new Set(gateway.runningTurns().flatMap((turn) => (turn.isWaiting ? [] : [turn.sessionId])));
    await Promise.all([...sessions].map((sessionId) => gateway.stop(sessionId)));
  }

  leaveWaiting(): void {
    void this.gateway.leaveWaiting();
  }
}
