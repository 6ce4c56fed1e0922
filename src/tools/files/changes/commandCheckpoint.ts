import type { ToolCallContext } from '../../tool';
import type { DiscardedFiles } from './snapshot';

/** A file that changed while a command ran. */
export interface ChangedPath {
  /** Absolute path. */
  readonly path: string;
  readonly kind: 'created' | 'edited' | 'deleted';
}

export interface CheckedRun<T> {
  readonly value: T;
  /** Files that changed during the run, including changes by the user or another program: these cannot be
   *  distinguished from the command's changes. */
  readonly changed: readonly ChangedPath[];
  /** Sentence for the model and the user that says why the command's changes cannot be reverted, or not all of them.
   *  Null when they can. */
  readonly note: string | null;
}

/** Detects the files that a command changes, so that they can be reverted like an edit. Part of the result of every
 *  command that may change something; commands known to only read run without it. */
export interface CommandCheckpoint {
  /** Compares the files before and after `run`. Always calls `run` exactly once, and passes its rejection on.
   *  `folder`: absolute, where the command runs. `isNeeded`: rejects with `NotWatched` instead of calling `run`, if the
   *  files cannot be looked at. */
  around<T>(call: ToolCallContext, folder: string, run: () => Promise<T>, isNeeded?: boolean): Promise<CheckedRun<T>>;
  /** True when a checkpoint would restore these files as they are now; folders that tools fill again do not count.
   *  Never rejects. */
  restores(folder: string, files: DiscardedFiles): Promise<boolean>;
}
