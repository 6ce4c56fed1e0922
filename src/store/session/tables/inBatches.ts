import { type SlicedWork, sliceTimer, StoppedWork, type WorkProgress } from '../../slicedWork';

/** Database access for sliced work. Work must change nothing outside the database: a write may run twice, if the
 *  search index had to be rebuilt or the log emptied in between. */
export interface Transactions {
  /** Runs `work` as one durable transaction. */
  write<T>(work: () => T): T;
  /** Runs `work` in one read snapshot. */
  read<T>(work: () => T): T;
  /** Monotonic milliseconds; only used to size slices. */
  readonly monotonicMs: () => number;
}

/** Rows per batch. Small enough that a batch of long rows stays within a slice. */
export const batchRows = 32;
type Outcome<S, R> = { readonly state: S } | { readonly answer: R };

/** A long change, divided into batches. Every method but `progress` runs inside a transaction and changes only the
 *  database, because a transaction may run twice. */
export interface BatchedWork<S, R> {
  begin(): Outcome<S, R>;
  /** Runs the next batch. */
  step(state: S): Outcome<S, R>;
  /** Runs at the end of each transaction after which the change is incomplete: records the work that remains if the
   *  change is not continued. */
  suspend?(state: S): void;
  progress(state: S): WorkProgress;
  /** Milliseconds a slice may take before its commit. Default: `sliceMs`. Less when most of the work happens at
   *  commit. */
  readonly lengthMs?: number;
  /** Undoes the next batch; returns true when there was one. Without it, other code cleans up the rest. */
  takeBack?(state: S): boolean;
  /** True when it can still be stopped. Default: always. */
  canStop?(state: S): boolean;
}

/** Runs a change in slices: all batches that fit into one slice are one durable transaction, so a small change is a
 *  single transaction. */
export function* inBatches<S, R>(work: BatchedWork<S, R>, transactions: Transactions): SlicedWork<R> {
  let reached: S | undefined;
  for (;;) {
    const outcome: Outcome<S, R> = nextSlice(work, reached, transactions);
    if ('answer' in outcome) return outcome.answer;
    reached = outcome.state;
    const stop = yield { progress: work.progress(reached) };
    if (stop !== true || work.canStop?.(reached) === false) continue;
    while (takeBackSlice(work, reached, transactions)) yield undefined;
    throw new StoppedWork();
  }
}

function nextSlice<S, R>(work: BatchedWork<S, R>, reached: S | undefined, transactions: Transactions): Outcome<S, R> {
  try {
    const timer = sliceTimer(transactions.monotonicMs, work.lengthMs);
    return transactions.write(() => {
      let outcome: Outcome<S, R> = reached === undefined ? work.begin() : work.step(reached);
      while ('state' in outcome && !timer.isFull()) outcome = work.step(outcome.state);
      if ('state' in outcome) work.suspend?.(outcome.state);
      return outcome;
    });
  } catch (error) {
    if (reached !== undefined) takeBackNow(work, reached, transactions);
    throw error;
  }
}

function takeBackSlice<S, R>(work: BatchedWork<S, R>, reached: S, transactions: Transactions): boolean {
  const timer = sliceTimer(transactions.monotonicMs);
  return transactions.write(() => {
    let more = work.takeBack?.(reached) ?? false;
    while (more && !timer.isFull()) more = work.takeBack?.(reached) ?? false;
    return more;
  });
}

/** Undoes a failed change. If the disk is full, the rest is recorded in the store and undone before the rows are
 *  changed again. */
function takeBackNow<S, R>(work: BatchedWork<S, R>, reached: S, transactions: Transactions): void {
  try {
    while (takeBackSlice(work, reached, transactions));
  } catch {
    // Report the original failure instead.
  }
}
