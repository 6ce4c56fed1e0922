import type { FileState } from '../editJournal';

/** A file that differs between two looks at a folder. */
export interface FileDifference {
  readonly before: FileState;
  readonly after: FileState;
}

/** Why a folder could not be looked at closely enough, as a clause: "it holds more than 20000 files". */
export class NotWatched extends Error {
  override readonly name = 'NotWatched';
}

/** How a folder's files stand at one moment. */
export interface Snapshot {
  /** What differs now; `unsure` counts the files that differ and of which it is not known what they held. Rejects with `NotWatched`. */
  differences(patienceMs: number): Promise<{ readonly files: readonly FileDifference[]; readonly unsure: number }>;
}

/** Looks at folders. */
export interface SnapshotTaker {
  /** Rejects with `NotWatched` where it cannot be done in time. `folder`: absolute. */
  take(folder: string, patienceMs: number): Promise<Snapshot>;
}
