import type { Clock } from '../../../base/clock';
import type { Disposable } from '../../../base/disposable';
import type { Log } from '../../../base/log';

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

/** Running turns, as one machine shows its own and watches those of others. Nothing here is part of a history: a turn
 *  travels as a whole when it has ended. Every call may fail. */
export interface SharedTurns {
  /** Asked by the machine that runs the turn. */
  wishes(conversationId: string, fence: number): Promise<TurnWishes>;
  /** Shows what the turn has so far, in JSON. Only while this machine holds the lease. */
  show(conversationId: string, fence: number, body: string): Promise<void>;
  /** Removes what was shown of a turn that is over. */
  end(conversationId: string, fence: number): Promise<void>;
  /** The turn that another machine runs, or left open. Null when there is none. Tells that machine that somebody
   *  watches, for some seconds. */
  watch(conversationId: string): Promise<WatchedTurn | null>;
  /** Asks the machine that runs the turn to stop it. */
  askToStop(conversationId: string, fence: number): Promise<void>;
}

/** What other machines want of a running turn. */
export interface TurnWishes {
  readonly isWatched: boolean;
  readonly isStopAsked: boolean;
}

export interface WatchedTurn {
  /** Name of the machine that runs it. */
  readonly machine: string;
  /** Number of its lease. */
  readonly fence: number;
  /** False when its lease has run out: the machine cannot be reached, or was switched off. */
  readonly isAlive: boolean;
  readonly isStopAsked: boolean;
  /** JSON as it was shown; null before anything was. */
  readonly body: string | null;
}
