/** A file that the calls of one turn changed, taken together: from before the first of them to after the last. */
export interface ChangedFile {
  /** Absolute; names the file in requests. */
  readonly path: string;
  /** As people read it. */
  readonly shown: string;
  readonly kind: 'created' | 'edited' | 'deleted';
  /** Lines; null for what is not text. */
  readonly added: number | null;
  readonly removed: number | null;
  /** open: neither kept nor reverted yet · partly: some of its hunks are · changedSince: it no longer holds what the turn left. */
  readonly state: 'open' | 'partly' | 'kept' | 'reverted' | 'changedSince';
}

/** One change within a file, as a person keeps or reverts it. Lines count from 1. */
export interface FileHunk {
  readonly id: string;
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
  readonly state: 'open' | 'kept' | 'reverted';
}

/** `sentence`: what could not be done and what can be, for a person; null when all was done. */
export interface ReviewOutcome {
  readonly sentence: string | null;
  /** Files the person has changed since, which stay as they are unless asked for again with `overwrite`. */
  readonly conflicts: readonly string[];
}
