import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { t } from '../../base/translate';
import { errnoOf } from '../../store/engine/fileSystem';
import { diskError } from '../../store/engine/sqlFailure';
import type { ReadingDeps } from '../../store/library/foreignStore';
import { acquireLock } from '../../store/lock/acquireLock';
import { StoreError } from '../../store/storeError';
import { ChunkPool } from './chunkPool';

/** Engine, disk and clock. `copies` is the folder for private copies. */
export type BackupDeps = ReadingDeps;

export interface BackupPlace {
  /** Folder of the store. */
  readonly store: string;
  /** Folder that holds backups of this store only. Created when it does not exist. */
  readonly backups: string;
}

export function poolOf({ fileSystem }: BackupDeps, { backups }: BackupPlace): ChunkPool {
  return new ChunkPool(fileSystem, join(backups, 'chunks'));
}

/** Runs work that changes the folder of backups. Throws `locked` while another process does so, and a `StoreError` for
 *  a failure of the disk. */
export function changingBackups<T>(deps: BackupDeps, { backups }: BackupPlace, work: () => T): T {
  const { fileSystem, processes, now } = deps;
  const attempt = acquireLock({
    fileSystem,
    folder: backups,
    path: join(backups, 'backups.lock'),
    processes,
    endpoint: null,
    now,
    uniqueName: randomUUID,
  });
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
