/** File or folder that was moved out of an open folder, and its new place. */
export interface TakenOut {
  readonly path: string;
  readonly kept: string;
}

export interface RemovedFiles {
  readonly taken: readonly TakenOut[];
  /** Files that could not be moved and are still there, each with the reason. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}
