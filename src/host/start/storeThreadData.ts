/** Data that a store's worker thread gets when it starts. */
export interface StoreThreadData {
  /** Folder of compiled code for later starts. It may not exist yet. */
  readonly compiledFolder: string;
  /** Milliseconds after the start at which the compiled code is saved. */
  readonly keepAfterMs: number;
}
