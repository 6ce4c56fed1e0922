import type { Clock } from '../../../src/base/clock';

/** Time that passes so many times faster than it does, for tests that wait for real sockets and for patience of minutes alike. */
export function fastClock(speed: number, epochSeconds = 1_795_161_600): Clock {
  const started = performance.now();
  const passedMs = (): number => (performance.now() - started) * speed;
  return {
    now: () => epochSeconds + passedMs() / 1000,
    monotonicMs: passedMs,
    after: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs / speed);
      return () => clearTimeout(timer);
    },
  };
}
