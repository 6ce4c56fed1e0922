import { useEffect, useState } from 'preact/hooks';

/** The time in milliseconds, told again every `intervalMs` while `active`. */
export function useNow(nowMs: () => number, intervalMs: number, active = true): number {
  const [now, setNow] = useState(nowMs());
  useEffect(() => {
    if (!active) return undefined;
    setNow(nowMs());
    const timer = setInterval(() => setNow(nowMs()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, active]);
  return now;
}

/** True once `active` has lasted for `delayMs`: what is over sooner is not announced, so that nothing flickers. */
export function useLasting(active: boolean, delayMs: number): boolean {
  const [lasting, setLasting] = useState(false);
  useEffect(() => {
    setLasting(false);
    if (!active) return undefined;
    const timer = setTimeout(() => setLasting(true), delayMs);
    return () => clearTimeout(timer);
  }, [active, delayMs]);
  return active && lasting;
}
