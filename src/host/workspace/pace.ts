import { setImmediate } from 'node:timers/promises';

/** Yields to other work in the process when a long task has kept it busy for a while. */
export class Pace {
  private since = performance.now();

  constructor(private readonly sliceMs = 8) {}

  /** Costs nothing until a time slice is used up. Rejects with the reason of `signal` once it is aborted. */
  async breathe(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (performance.now() - this.since < this.sliceMs) return;
    await setImmediate();
    this.since = performance.now();
    signal.throwIfAborted();
  }
}
