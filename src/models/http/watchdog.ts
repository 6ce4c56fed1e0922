import type { Clock } from '../../base/clock';

interface WatchdogLimits {
  readonly firstByteMs: number;
  readonly idleMs: number;
}

interface WatchdogHandlers {
  /** Called every second until the first byte. */
  waiting(elapsedMs: number): void;
  timedOut(of: 'firstByte' | 'idle', ms: number): void;
}

const second = 1000;

/** Watches one attempt for silence: before the first byte, and between bytes. The clock starts at construction. */
export class Watchdog {
  private cancel: () => void;
  private lastActive: number;
  private started = false;
  private stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly limits: WatchdogLimits,
    private readonly handlers: WatchdogHandlers,
  ) {
    this.lastActive = clock.monotonicMs();
    this.cancel = clock.after(second, () => this.awaitFirstByte(1));
  }

  /** Called when bytes arrived. */
  active(): void {
    if (this.stopped) return;
    this.lastActive = this.clock.monotonicMs();
    if (this.started) return;
    this.started = true;
    this.cancel();
    this.cancel = this.clock.after(this.limits.idleMs, () => this.checkIdle());
  }

  stop(): void {
    this.stopped = true;
    this.cancel();
  }

  private awaitFirstByte(seconds: number): void {
    const elapsed = seconds * second;
    if (elapsed >= this.limits.firstByteMs) {
      this.handlers.timedOut('firstByte', this.limits.firstByteMs);
      return;
    }
    this.handlers.waiting(elapsed);
    this.cancel = this.clock.after(second, () => this.awaitFirstByte(seconds + 1));
  }

  /** Waits for the rest of the limit, instead of resetting a timer for every chunk. */
  private checkIdle(): void {
    const silent = this.clock.monotonicMs() - this.lastActive;
    if (silent >= this.limits.idleMs) this.handlers.timedOut('idle', this.limits.idleMs);
    else this.cancel = this.clock.after(this.limits.idleMs - silent, () => this.checkIdle());
  }
}
