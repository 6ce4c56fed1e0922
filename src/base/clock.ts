/** Time, passed in as a dependency. `now` is in seconds since the epoch, as the store keeps it; `monotonicMs` never
 *  goes back and measures durations. */
export interface Clock {
  now(): number;
  monotonicMs(): number;
  /** Calls `callback` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now() / 1000,
  monotonicMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
