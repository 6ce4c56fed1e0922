/** Pauses between attempts at a write that the disk refused, in milliseconds; the last one repeats. */
const pausesMs = [100, 400, 1000, 2000, 5000, 10_000, 30_000];

/** Attempts of a call after its first one: then 3.5 seconds have passed, and the call fails. */
export const retriesOfACall = 4;

/** Milliseconds to wait after the failed attempt of this number, counted from 0. */
export function retryPauseMs(attempt: number): number {
  return pausesMs[Math.min(attempt, pausesMs.length - 1)] ?? 30_000;
}
