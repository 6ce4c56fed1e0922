import { type SlicedWork, sliceTimer, StoppedWork, type WorkProgress } from '../../slicedWork';
import type { Transactions } from './transactions';

type Outcome<S, R> = { readonly state: S } | { readonly answer: R };

/** A long change as a course of batches. Every method but `progress` runs inside a transaction; none changes anything but the database, because a
 *  transaction may be done twice. */
export interface BatchCourse<S, R> {
  begin(): Outcome<S, R>;
  /** Does the next batch. */
  step(state: S): Outcome<S, R>;
  /** Runs at the end of each transaction after which the change is not whole: notes what has to be done if nobody goes on. */
  suspend?(state: S): void;
  progress(state: S): WorkProgress;
  /** How long a slice may take before its commit; default `sliceMs`. Less where committing is the greater part of the work. */
  readonly lengthMs?: number;
  /** Does the next batch of taking back what was done; returns whether there was one. Without it what is left is taken care of elsewhere. */
  takeBack?(state: S): boolean;
  /** Whether it can still be stopped; default always. */
  canStop?(state: S): boolean;
}

/** Runs a course in slices: as many batches as fit into one slice are one durable transaction, so that a small change is one transaction, whole. */
export function* inBatches<S, R>(course: BatchCourse<S, R>, transactions: Transactions): SlicedWork<R> {
  let reached: S | undefined;
  for (;;) {
    const outcome: Outcome<S, R> = nextSlice(course, reached, transactions);
    if ('answer' in outcome) return outcome.answer;
    reached = outcome.state;
    const stop = yield { progress: course.progress(reached) };
    if (stop !== true || course.canStop?.(reached) === false) continue;
    while (takeBackSlice(course, reached, transactions)) yield undefined;
    throw new StoppedWork();
  }
}

function nextSlice<S, R>(course: BatchCourse<S, R>, reached: S | undefined, transactions: Transactions): Outcome<S, R> {
  try {
    const timer = sliceTimer(transactions.monotonicMs, course.lengthMs);
    return transactions.write(() => {
      let outcome: Outcome<S, R> = reached === undefined ? course.begin() : course.step(reached);
      while ('state' in outcome && !timer.isFull()) outcome = course.step(outcome.state);
      if ('state' in outcome) course.suspend?.(outcome.state);
      return outcome;
    });
  } catch (error) {
    if (reached !== undefined) takeBackNow(course, reached, transactions);
    throw error;
  }
}

function takeBackSlice<S, R>(course: BatchCourse<S, R>, reached: S, transactions: Transactions): boolean {
  const timer = sliceTimer(transactions.monotonicMs);
  return transactions.write(() => {
    let more = course.takeBack?.(reached) ?? false;
    while (more && !timer.isFull()) more = course.takeBack?.(reached) ?? false;
    return more;
  });
}

/** What cannot be taken back now, because the disk takes nothing, is noted in the store and done before the rows are changed again. */
function takeBackNow<S, R>(course: BatchCourse<S, R>, reached: S, transactions: Transactions): void {
  try {
    while (takeBackSlice(course, reached, transactions));
  } catch {
    // The failure that led here is the one to tell.
  }
}
