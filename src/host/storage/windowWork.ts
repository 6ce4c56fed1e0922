import type { Clock } from '../../base/clock';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { resultWithin } from '../../base/pause';
import type { WorkGuard } from '../../store/ownership/storeConnection';

/** Milliseconds within which the page of a window in use responds, also on a busy machine. */
const pageRespondsMs = 4000;

/** Ends the work of this window when another one takes over: stops turns, and waits for compressions, whose
 *  summaries are paid. A turn that awaits approval blocks nothing: it stays `waiting` in the store. */
export class WindowWork implements WorkGuard {
  /** `askPage` resolves when the page of this window responds; where the page was closed or lost while the extension
   *  host lives on, it does not. */
  constructor(
    private readonly gateway: GatewayPart<'turns', 'running' | 'stop'> &
      GatewayPart<'runner', 'leaveWaiting'> &
      GatewayPart<'compression', 'ended'>,
    private readonly askPage: () => PromiseLike<unknown>,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  async settle(): Promise<void> {
    const { gateway } = this;
    await gateway.compression.ended();
    // After them: a compression starts the prompts that were sent meanwhile.
    const sessions = new Set(gateway.turns.running().flatMap((turn) => (turn.isWaiting ? [] : [turn.sessionId])));
    await Promise.all([...sessions].map((sessionId) => gateway.turns.stop(sessionId)));
  }

  leaveWaiting(): void {
    void this.gateway.runner.leaveWaiting();
  }

  async isLeft(): Promise<boolean> {
    if (this.isTurnRunning()) return false;
    await this.gateway.compression.ended();
    const answer = Promise.resolve(this.askPage()).then(
      () => true,
      () => true,
    );
    const responds = await resultWithin(this.clock, pageRespondsMs, answer, false);
    return !responds && !this.isTurnRunning();
  }

  private isTurnRunning(): boolean {
    return this.gateway.turns.running().some(({ isWaiting }) => !isWaiting);
  }
}
