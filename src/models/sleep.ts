import type { Clock } from '../base/clock';

/** Resolves true after `ms`, or false at once when `signal` fires first. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve(true);
    });
    signal.addEventListener('abort', onAbort, { once: true });
    function onAbort(): void {
      cancel();
      resolve(false);
    }
  });
}
