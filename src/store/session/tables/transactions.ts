/** How sliced work reaches the database. Work must change nothing outside the database: a write may be done twice, when the search index had to be
 *  rebuilt or the log to be emptied in between. */
export interface Transactions {
  /** One durable transaction. */
  write<T>(work: () => T): T;
  /** One read snapshot. */
  read<T>(work: () => T): T;
  /** Milliseconds that never go back; only to size slices. */
  readonly monotonicMs: () => number;
}

/** Rows of one batch. Small enough that a batch of long rows stays within a slice. */
export const batchRows = 32;
