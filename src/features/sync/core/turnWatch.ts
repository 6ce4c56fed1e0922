import type { Clock } from '../../../base/clock';
import { Emitter, type Disposable } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import type { SharedTurns, WatchedTurn } from './turnSharing';

interface TurnWatchDeps {
  readonly turns: Pick<SharedTurns, 'watch' | 'askToStop'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Conversations in which a turn runs here. */
  readonly running: () => ReadonlySet<string>;
}

export interface SeenTurn extends WatchedTurn {
  readonly conversationId: string;
}

/** Milliseconds between two looks, by the time since the user did something or a turn was seen. After that nothing is
 *  asked until the user does something. */
const paces = [
  { untilMs: 60_000, everyMs: 1000 },
  { untilMs: 5 * 60_000, everyMs: 5000 },
] as const;
/** Least milliseconds after a failure. */
const retryMs = 5000;

/** Looks if another machine runs a turn in the conversation that the user sees here, and what it shows. */
export class TurnWatch implements Disposable {
  private readonly changes = new Emitter<SeenTurn | null>();
  private conversationId: string | null = null;
  private seen: SeenTurn | null = null;
  private activeAt: number;
  private isLooking = false;
  private isDisposed = false;
  private cancelNext: () => void = () => undefined;
  readonly onDidChange = this.changes.event;

  constructor(private readonly deps: TurnWatchDeps) {
    this.activeAt = deps.clock.monotonicMs();
  }

  get state(): SeenTurn | null {
    return this.seen;
  }

  /** The conversation that the user sees; null for none. */
  follow(conversationId: string | null): void {
    if (conversationId === this.conversationId) return;
    this.conversationId = conversationId;
    this.show(null);
    this.active();
  }

  /** Called when the user does something, or when something came from another machine. */
  active(): void {
    this.activeAt = this.deps.clock.monotonicMs();
    this.lookIn(0);
  }

  /** Asks the machine whose turn is seen to stop it. */
  async askToStop(): Promise<void> {
    if (this.seen === null) return;
    await this.deps.turns.askToStop(this.seen.conversationId, this.seen.fence);
    this.active();
  }

  dispose(): void {
    this.isDisposed = true;
    this.cancelNext();
    this.show(null);
    this.changes.dispose();
  }

  private lookIn(delayMs: number): void {
    this.cancelNext();
    if (this.isDisposed || this.isLooking || this.conversationId === null) return;
    this.cancelNext = this.deps.clock.after(delayMs, () => {
      this.isLooking = true;
      void this.look().then((nextMs) => {
        this.isLooking = false;
        if (nextMs !== null) this.lookIn(nextMs);
      });
    });
  }

  /** Resolves with the milliseconds until the next look; null when none is due. Never rejects. */
  private async look(): Promise<number | null> {
    const { turns, clock, log, running } = this.deps;
    const { conversationId } = this;
    if (conversationId === null) return null;
    try {
      const turn = running().has(conversationId) ? null : await turns.watch(conversationId);
      // Another session is shown meanwhile.
      if (conversationId !== this.conversationId) return 0;
      this.show(turn === null ? null : { ...turn, conversationId });
      if (turn?.isAlive === true) this.activeAt = clock.monotonicMs();
    } catch (error) {
      log.info(`Turns of other machines cannot be seen: ${String(error)}`);
      return this.nextMs(retryMs);
    }
    return this.nextMs(0);
  }

  private nextMs(atLeastMs: number): number | null {
    const idleMs = this.deps.clock.monotonicMs() - this.activeAt;
    const pace = paces.find(({ untilMs }) => idleMs < untilMs);
    return pace === undefined ? null : Math.max(pace.everyMs, atLeastMs);
  }

  private show(seen: SeenTurn | null): void {
    if (JSON.stringify(seen) === JSON.stringify(this.seen)) return;
    this.seen = seen;
    this.changes.fire(seen);
  }
}
