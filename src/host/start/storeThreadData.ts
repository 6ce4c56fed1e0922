/** What the thread of a store is told when it starts. */
export interface StoreThreadData {
  /** Where compiled code is kept for later starts. Need not exist. */
  readonly compiledFolder: string;
  /** When it is kept, behind the start, in milliseconds. */
  readonly keepAfterMs: number;
}
