/** Milliseconds: the longest that one slice of work may delay other requests of the store. */
export const sliceMs = 20;

/** Progress of long work, in rows. */
export interface WorkProgress {
  readonly done: number;
  readonly total: number;
}

/** Report of a slice before the work is done. */
interface SliceReport<E = unknown> {
  readonly progress?: WorkProgress;
  /** The next entries, if the work's result is a list; the return value holds the last ones. */
  readonly entries?: readonly E[];
}

/** Long work of the store, in slices. Each `next()` runs one slice of at most about `sliceMs` and leaves the
 *  database between two transactions, so that other requests can run in between. `next(true)` asks the work to stop:
 *  it undoes its changes and throws `StoppedWork`, or continues if it can no longer be stopped. */
export type SlicedWork<T, E = unknown> = Generator<SliceReport<E> | undefined, T, boolean | undefined>;

/** Thrown by work that was asked to stop and has undone its changes. */
export class StoppedWork extends Error {
  override readonly name = 'StoppedWork';
}

/** Runs the work without a pause. */
export function runWhole<T>(work: SlicedWork<T>): T {
  const entries: unknown[] = [];
  for (;;) {
    const step = work.next();
    if (step.done === true) return withEntries(entries, step.value);
    if (step.value?.entries !== undefined) entries.push(...step.value.entries);
  }
}

/** The result of work whose first entries were already reported. */
function withEntries<T>(entries: readonly unknown[], last: T): T {
  return entries.length === 0 || !Array.isArray(last) ? last : ([...entries, ...(last as readonly unknown[])] as T);
}

/** Reports when a slice of `lengthMs` is full. `monotonicMs`: monotonic milliseconds. */
export function sliceTimer(monotonicMs: () => number, lengthMs = sliceMs): { readonly isFull: () => boolean } {
  const until = monotonicMs() + lengthMs;
  return { isFull: () => monotonicMs() >= until };
}
