/** File that the calls of one turn changed: its change from before the first call to after the last. */
export interface ChangedFile {
  /** Absolute; identifies the file in requests. */
  readonly path: string;
  /** Displayed path. */
  readonly shown: string;
  readonly kind: 'created' | 'edited' | 'deleted';
  /** Lines; null when the file is not text. */
  readonly added: number | null;
  readonly removed: number | null;
  /** open: neither kept nor reverted yet. partly: some of its hunks are. changedSince: something is left to review, and
   *  the content is no longer what the turn left. kept: nothing is left to review. */
  readonly state: 'open' | 'partly' | 'kept' | 'reverted' | 'changedSince';
  /** Set when the newest revert of this file, or of a change in it, can be undone. */
  readonly canUndoRevert?: true;
}

/** One change within a file that the user has neither kept nor reverted. Lines count from 1. */
export interface FileHunk {
  readonly id: string;
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** `sentence`: for the user, says what failed and what can be done; null when everything succeeded. */
export interface ReviewOutcome {
  readonly sentence: string | null;
  /** Files that the user changed since. They stay unchanged unless the request is repeated with `overwrite`. */
  readonly conflicts: readonly string[];
}
