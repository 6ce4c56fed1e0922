/** The longest that one slice of work may keep other requests of the store waiting, in milliseconds. */
export const sliceMs = 20;

/** How far long work has come, in rows. */
export interface WorkProgress {
  readonly done: number;
  readonly total: number;
}

/** What a slice hands out before the work is done. */
export interface SliceReport<E = unknown> {
  readonly progress?: WorkProgress;
  /** The next entries of a list that is the work's result; what the work returns at its end are the last ones. */
  readonly entries?: readonly E[];
}

/** Long work of the store, in slices: each `next()` is one slice of at most about `sliceMs` and leaves the database between two transactions, so that
 *  other requests are served in between. `next(true)` asks the work to stop: it takes back what it has begun and throws `StoppedWork`, or goes on
 *  where it is past the point at which that is possible. */
export type SlicedWork<T, E = unknown> = Generator<SliceReport<E> | undefined, T, boolean | undefined>;

/** Thrown by work that was asked to stop and has left nothing behind. */
export class StoppedWork extends Error {
  override readonly name = 'StoppedWork';
}

/** Does the work without a pause. */
export function runWhole<T>(work: SlicedWork<T>): T {
  const entries: unknown[] = [];
  for (;;) {
    const step = work.next();
    if (step.done === true) return withEntries(entries, step.value);
    if (step.value?.entries !== undefined) entries.push(...step.value.entries);
  }
}

/** The result of work of which the first entries were handed out before. */
export function withEntries<T>(entries: readonly unknown[], last: T): T {
  return entries.length === 0 || !Array.isArray(last) ? last : ([...entries, ...(last as readonly unknown[])] as T);
}

/** Tells when a slice of `lengthMs` is full. `monotonicMs`: milliseconds that never go back. */
export function sliceTimer(monotonicMs: () => number, lengthMs = sliceMs): { readonly isFull: () => boolean } {
  const until = monotonicMs() + lengthMs;
  return { isFull: () => monotonicMs() >= until };
}
