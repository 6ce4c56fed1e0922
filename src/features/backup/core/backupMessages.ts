import type { StoreErrorData } from '../../../store/storeError';
import type { BackupPlace } from './backupDeps';
import type { Backups } from './backups';

/** Methods of `Backups`. */
export type BackupMethod =
  | 'make'
  | 'makeBeforeMigration'
  | 'list'
  | 'others'
  | 'contents'
  | 'verify'
  | 'restore'
  | 'takeCopy'
  | 'forget'
  | 'continueForgetting';
export type BackupArguments = { readonly [M in BackupMethod]: Parameters<Backups[M]> };
export type BackupResults = { readonly [M in BackupMethod]: ReturnType<Backups[M]> };

/** Start parameters of a thread, which makes one call and ends. Both sides come from one build, so messages are typed
 *  and not validated. */
export interface BackupThread {
  readonly place: BackupPlace;
  /** Folder for private copies. */
  readonly copies: string;
  /** Shared with the caller: one number, which is not 0 once the user stopped the work. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  readonly call: {
    readonly [M in BackupMethod]: { readonly method: M; readonly args: BackupArguments[M] };
  }[BackupMethod];
}

export type BackupAnswer = { readonly value: BackupResults[BackupMethod] } | { readonly error: StoreErrorData };
