import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';
import type { GatewayServices } from './gatewayServices';
import type { SurfaceRegistry } from './surfaceRegistry';
import type { TurnRunner } from './turnRunner';

/** Turns that wait for the user in the store without an active run: after a reload, a crash or a handover to another
 *  window. */
export class WaitingTurns {
  constructor(
    private readonly parts: Pick<GatewayServices, 'store' | 'clock'> & {
      readonly surfaces: SurfaceRegistry;
      readonly runner: TurnRunner;
    },
  ) {}

  /** Ends the waiting turn of this conversation; with `turnUid`, only that one. Called inside the conversation's
   *  sequence. Returns true when there was one. */
  async end(session: Session, stopReason: 'user' | 'newPrompt', turnUid?: string): Promise<boolean> {
    const { store, runner } = this.parts;
    if (runner.runningIn(session.conversationId) !== null) return false;
    const open = await store.openTurnOf(session.id);
    if (open?.state !== 'waiting' || (turnUid !== undefined && open.uid !== turnUid)) return false;
    await this.settle(open, stopReason);
    return true;
  }

  /** Closes a turn without an active run. Its calls without a result wait for the user or follow one that does, so
   *  they never ran. */
  async settle(open: Turn, stopReason: 'user' | 'newPrompt'): Promise<void> {
    const { store, clock, surfaces } = this.parts;
    const { turn, messages } = await store.settleTurn({
      turnUid: open.uid,
      settledAt: clock.now(),
      settlement: { outcome: 'interrupted', stopReason, failure: null },
      messages: [],
    });
    surfaces.notifyTurn(turn.sessionId, { kind: 'turnSettled', turn, messages });
    surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [turn.sessionId] });
  }
}
