import type { FileState } from '../editJournal';

/** File that differs between two snapshots of a folder. */
export interface FileDifference {
  readonly before: FileState;
  readonly after: FileState;
}

/** Reason why a folder could not be compared, as a clause: "it holds more than 20000 files". */
export class NotWatched extends Error {
  override readonly name = 'NotWatched';
}

/** State of a folder's files at one moment. */
export interface Snapshot {
  /** Files that differ now. `unknown`: names of files that differ, but whose earlier state is not known or cannot be
   *  restored. A file counts as created only when the snapshot saw that it was missing. Rejects with `NotWatched`. */
  differences(
    timeoutMs: number,
  ): Promise<{ readonly files: readonly FileDifference[]; readonly unknown: readonly string[] }>;
}

/** Files that a command discards. */
export interface DiscardedFiles {
  /** Absolute, each with everything below it. */
  readonly paths: readonly string[];
  /** Further files of the whole work tree: those in Git that changed, or also those that Git does not know and does not
   *  ignore. Null: none. */
  readonly tree: 'changed' | 'all' | null;
}

/** Takes snapshots of folders. */
export interface SnapshotTaker {
  /** Rejects with `NotWatched` when it cannot finish in time. `folder`: absolute. */
  take(folder: string, timeoutMs: number): Promise<Snapshot>;
  /** True when a snapshot holds all of these, as they are now. `paths`: files that exist. Rejects when that cannot be
   *  told in time. */
  holds(folder: string, files: DiscardedFiles, timeoutMs: number): Promise<boolean>;
}
