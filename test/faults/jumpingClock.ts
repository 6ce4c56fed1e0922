import { type Clock, systemClock } from '../../src/base/clock';

/** Real time that can leap: whatever waits for a moment that is leapt over happens at once. */
export class JumpingClock implements Clock {
  private leaptMs = 0;
  private readonly waiting = new Set<{ readonly at: number; readonly fire: () => void }>();

  now(): number {
    return systemClock.now() + this.leaptMs / 1000;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.leaptMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = {
      at: this.monotonicMs() + delayMs,
      fire: () => {
        cancel();
        callback();
      },
    };
    const cancelReal = systemClock.after(delayMs, () => timer.fire());
    const cancel = (): void => {
      cancelReal();
      this.waiting.delete(timer);
    };
    this.waiting.add(timer);
    return cancel;
  }

  leap(ms: number): void {
    this.leaptMs += ms;
    const due = [...this.waiting]
      .filter(({ at }) => at <= this.monotonicMs())
      .sort((left, right) => left.at - right.at);
    for (const timer of due) if (this.waiting.has(timer)) timer.fire();
  }
}
