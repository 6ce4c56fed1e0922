import type { Clock } from '../../../base/clock';
import type { Disposable } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import type { SharedTurns } from './sharedTurns';

interface TurnSharingDeps {
  readonly turns: SharedTurns;
  readonly clock: Clock;
  readonly log: Log;
  /** What the conversation's running turn has so far, in JSON. Null when none runs. */
  readonly read: (conversationId: string) => Promise<string | null>;
  readonly stop: (conversationId: string) => Promise<void>;
}

/** Milliseconds between two looks at what other machines want. */
const lookMs = 1000;

/** Shows the turns that run here to other machines that watch them, and stops a turn when one of these asks for it. A
 *  failure costs those machines the sight of it, and the turn nothing. */
export class TurnSharing implements Disposable {
  private readonly shared = new Map<string, { readonly fence: number; shown: string }>();
  private cancelNext: (() => void) | null = null;
  private isDisposed = false;

  constructor(private readonly deps: TurnSharingDeps) {}

  begin(conversationId: string, fence: number): void {
    this.shared.set(conversationId, { fence, shown: '' });
    this.lookLater();
  }

  /** Rejects when the server cannot be reached: what was shown is still on it then. */
  async end(conversationId: string): Promise<void> {
    const turn = this.shared.get(conversationId);
    if (turn === undefined) return;
    await this.deps.turns.end(conversationId, turn.fence);
    this.shared.delete(conversationId);
  }

  dispose(): void {
    this.isDisposed = true;
    this.cancelNext?.();
  }

  private lookLater(): void {
    if (this.isDisposed || this.cancelNext !== null || this.shared.size === 0) return;
    this.cancelNext = this.deps.clock.after(lookMs, () => {
      this.look()
        .catch((error: unknown) => this.deps.log.info(`A turn could not be shown to other machines: ${String(error)}`))
        .finally(() => {
          this.cancelNext = null;
          this.lookLater();
        });
    });
  }

  private async look(): Promise<void> {
    const { turns, read, stop } = this.deps;
    for (const [conversationId, turn] of this.shared) {
      const { isWatched, isStopAsked } = await turns.wishes(conversationId, turn.fence);
      if (isStopAsked) await stop(conversationId);
      if (!isWatched) continue;
      const body = await read(conversationId);
      if (body === null || body === turn.shown) continue;
      await turns.show(conversationId, turn.fence, body);
      turn.shown = body;
    }
  }
}
