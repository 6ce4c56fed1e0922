import type { Clock } from './clock';

/** Resolves true after `ms` milliseconds, or false as soon as `signal` is aborted. Never rejects. */
export function pause(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve(true);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    function onAbort(): void {
      cancel();
      resolve(false);
    }
  });
}

/** Settles as `work` does, or rejects with `reason` as soon as `signal` is aborted. Default: its own reason. */
export async function untilAborted<T>(
  signal: AbortSignal,
  work: PromiseLike<T>,
  reason = (): unknown => signal.reason,
): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(reason());
  });
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The result of `work`, or `otherwise` if it takes longer than `ms` milliseconds or one of `signals` is aborted first.
 *  Rejects as `work` does. */
export async function resultWithin<T, U>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: PromiseLike<T>,
  otherwise: U,
  ...signals: readonly AbortSignal[]
): Promise<T | U> {
  let giveUp = (): void => undefined;
  const late = new Promise<U>((resolve) => {
    giveUp = () => resolve(otherwise);
  });
  const cancel = clock.after(ms, giveUp);
  for (const signal of signals) signal.addEventListener('abort', giveUp, { once: true });
  if (signals.some(({ aborted }) => aborted)) giveUp();
  try {
    return await Promise.race([late, work]);
  } finally {
    cancel();
    for (const signal of signals) signal.removeEventListener('abort', giveUp);
  }
}

/** Waits for `work` at most `ms` milliseconds, or until one of `signals` is aborted. True if the work was done. */
export function withinTime(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<unknown>,
  ...signals: readonly AbortSignal[]
): Promise<boolean> {
  return resultWithin(
    clock,
    ms,
    work.then(() => true),
    false,
    ...signals,
  );
}
