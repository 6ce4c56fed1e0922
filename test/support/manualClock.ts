import type { Clock } from '../../src/base/clock';

/** A clock that moves only when the test says so. */
export class ManualClock implements Clock {
  private ms = 0;
  private timers: { readonly at: number; readonly run: () => void }[] = [];

  constructor(private readonly epochSeconds = 1_700_000_000) {}

  now(): number {
    return this.epochSeconds + this.ms / 1000;
  }

  monotonicMs(): number {
    return this.ms;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.ms + delayMs, run: callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.timers.length;
  }

  /** Moves time forward, running what falls due in order, with a turn of the event loop after each. */
  async advance(ms: number): Promise<void> {
    const end = this.ms + ms;
    for (;;) {
      const due = this.timers.filter(({ at }) => at <= end).sort((left, right) => left.at - right.at)[0];
      if (due === undefined) break;
      this.timers = this.timers.filter((other) => other !== due);
      this.ms = Math.max(this.ms, due.at);
      due.run();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.ms = end;
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Resolves when at least `count` timers wait: the code under test has come to its pause. */
  async untilWaiting(count = 1): Promise<void> {
    while (this.timers.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
