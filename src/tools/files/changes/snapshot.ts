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
    patienceMs: number,
  ): Promise<{ readonly files: readonly FileDifference[]; readonly unknown: readonly string[] }>;
}

/** Takes snapshots of folders. */
export interface SnapshotTaker {
  /** Rejects with `NotWatched` when it cannot finish in time. `folder`: absolute. */
  take(folder: string, patienceMs: number): Promise<Snapshot>;
  /** True when a snapshot holds each of the files, which exist. Rejects when that cannot be told in time. */
  holds(folder: string, files: readonly string[], patienceMs: number): Promise<boolean>;
}
