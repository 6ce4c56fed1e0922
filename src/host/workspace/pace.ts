import { setImmediate } from 'node:timers/promises';

/** Lets everything else in the process have its turn when a long piece of work has kept it busy for a while. */
export class Pace {
  private since = performance.now();

  constructor(private readonly sliceMs = 8) {}

  /** Costs nothing until a slice is used up. Rejects with the reason of `signal` once it is aborted. */
  async breathe(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (performance.now() - this.since < this.sliceMs) return;
    await setImmediate();
    this.since = performance.now();
    signal.throwIfAborted();
  }
}
