import type { Clock } from '../base/clock';

/** Waits for `work`, but no longer than `ms` milliseconds, nor behind an abort of one of `signals`. Resolves with whether the work was done. */
export async function withinTime(
  clock: Clock,
  ms: number,
  work: Promise<unknown>,
  ...signals: readonly AbortSignal[]
): Promise<boolean> {
  if (signals.some((signal) => signal.aborted)) return false;
  let giveUp = (): void => undefined;
  const late = new Promise<false>((resolve) => {
    giveUp = () => resolve(false);
  });
  const cancel = clock.after(ms, giveUp);
  for (const signal of signals) signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    cancel();
    for (const signal of signals) signal.removeEventListener('abort', giveUp);
  }
}
