import type { ToolCallContext } from '../../tool';

/** A file that changed while a command ran. */
export interface ChangedPath {
  /** Absolute. */
  readonly path: string;
  readonly kind: 'created' | 'edited' | 'deleted';
}

export interface CheckedRun<T> {
  readonly value: T;
  /** What changed in files meanwhile, by whomever: changes by the person or another program in that time cannot be told apart. */
  readonly changed: readonly ChangedPath[];
  /** Why what the command changed cannot be reverted, or not all of it; for the model and the person. Null where it can. */
  readonly note: string | null;
}

/** Finds out what a command changes in files, so that it can be reverted as an edit can. Part of the result of every command that may change
 *  something; commands known to only read are run without it. */
export interface CommandCheckpoint {
  /** Looks before and after `run`, which always runs, once, and whose rejection is passed on. `folder`: absolute, where the command runs. */
  around<T>(call: ToolCallContext, folder: string, run: () => Promise<T>): Promise<CheckedRun<T>>;
}

/** Where checkpoints are switched off. */
export const noCommandCheckpoint: CommandCheckpoint = {
  around: async (_call, _folder, run) => ({ value: await run(), changed: [], note: null }),
};
