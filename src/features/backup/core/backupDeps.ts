import { join } from 'node:path';
import { t } from '../../../base/translate';
import { errnoOf, type FileSystem } from '../../../store/engine/fileSystem';
import { diskError } from '../../../store/engine/sqlFailure';
import type { ReadingDeps } from '../../../store/library/foreignStore';
import { acquireLock, type LockAttempt } from '../../../store/lock/acquireLock';
import { readHeader } from '../../../store/open/fileHeader';
import { storeFiles } from '../../../store/open/storeFiles';
import { schemaVersion } from '../../../store/schema/migrations';
import { StoreError } from '../../../store/storeError';
import { ChunkPool } from './chunkPool';

/** Engine, disk and clock. `copies` is the folder for private copies. */
export interface BackupDeps extends ReadingDeps {
  /** Throws when the user stopped the work; called for each chunk. Default: never. Only for work that may end at any
   *  chunk: making, verifying and copying a backup. */
  readonly throwIfStopped?: () => void;
}

export interface BackupPlace {
  /** Folder of the store. */
  readonly store: string;
  /** Folder that holds backups of this store only. Created when it does not exist. */
  readonly backups: string;
}

/** Default folder for the backups of a store. */
export function defaultBackups(store: string): string {
  return join(store, 'backups');
}

export function poolOf({ fileSystem, throwIfStopped }: BackupDeps, { backups }: BackupPlace): ChunkPool {
  return new ChunkPool(fileSystem, join(backups, 'chunks'), throwIfStopped);
}

/** Runs work that changes the folder of backups. Throws `locked` while another process does so, and a `StoreError` for
 *  a failure of the disk. */
export function changingBackups<T>(deps: BackupDeps, { backups }: BackupPlace, work: () => T): T {
  const acquire = (): LockAttempt => acquireLock({ ...deps, folder: backups, path: join(backups, 'backups.lock') });
  const first = acquire();
  // The first attempt clears what a process left that ended while it took over the lock.
  const attempt = first.kind === 'heldBy' ? acquire() : first;
  if (attempt.kind === 'heldBy')
    throw new StoreError(
      'locked',
      t('Another window is working on the backups of these sessions. Try again in a moment.'),
      `${backups} is held by ${attempt.owner.description}`,
    );
  try {
    return work();
  } catch (error) {
    throw error instanceof StoreError || !isDiskError(error)
      ? error
      : diskError('write backups in', backups, errnoOf(error));
  } finally {
    attempt.lock.release();
  }
}

export function isDiskError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** True if opening the store in this folder would migrate it. Reads the head of the file. Throws the disk's error. */
export function wouldMigrate(fileSystem: FileSystem, store: string): boolean {
  const { main } = storeFiles(store);
  if (fileSystem.stat(main) === undefined) return false;
  const header = readHeader(fileSystem, main);
  return header !== undefined && header.userVersion > 0 && header.userVersion < schemaVersion;
}
