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
