/** Pauses between attempts at a write that the store did not take, in milliseconds; the last one repeats. */
const pausesMs = [1000, 2000, 5000, 10_000, 30_000];

/** Milliseconds to wait after the failed attempt of this number, counted from 0. */
export function retryPauseMs(attempt: number): number {
  return pausesMs[Math.min(attempt, pausesMs.length - 1)] ?? 30_000;
}
