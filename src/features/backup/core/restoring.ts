import { join } from 'node:path';
import { t } from '../../../base/translate';
import type { FileSystem } from '../../../store/engine/fileSystem';
import { storeError } from '../../../store/engine/sqlFailure';
import { broughtUpToDate, readOnly } from '../../../store/library/foreignStore';
import { sessionsOf } from '../../../store/library/library';
import { filledCopy, type StoreCopy } from '../../../store/library/storeCopy';
import { acquireLock } from '../../../store/lock/acquireLock';
import { openDatabase } from '../../../store/open/openDatabase';
import { stampOf, storeFiles } from '../../../store/open/storeFiles';
import { schemaVersion } from '../../../store/schema/migrations';
import { StoreError } from '../../../store/storeError';
import { BackupFolder } from './folder';
import { makeBackup } from './makeBackup';
import type { Backup } from './manifest';
import { verifyBackup } from './openedBackup';
import { writeStoredFile } from './storeReading';

export interface RestoredStore {
  /** Backup with what the store held before; null when there was no store. */
  readonly before: string | null;
  /** Path at which the former file was kept because it was damaged; null when it was sound. */
  readonly quarantined: string | null;
}

/** Puts a backup in place of a store that no process has open. The present store is backed up first, or quarantined
 *  when it is damaged. The store's name leads to the former content or to the restored one, also after a crash. Throws
 *  `locked` while a process has the store open, `corrupt` for a damaged backup; nothing is changed then. */
export function restoreStore(folder: BackupFolder, id: string, limitBytes: number): RestoredStore {
  const { deps, place } = folder;
  const { fileSystem } = deps;
  const files = storeFiles(place.store);
  const backup = folder.find(id);
  demandSound(folder, backup);
  const attempt = acquireLock({ ...deps, folder: place.store });
  if (attempt.kind === 'heldBy') throw storeError('locked', `${place.store} is held by ${attempt.owner.description}`);
  try {
    const unfinished = `${files.main}.new`;
    if (fileSystem.stat(unfinished) !== undefined) fileSystem.remove(unfinished);
    writeStoredFile(fileSystem, unfinished, backup.manifest.main, folder.pool);
    const kept = keepPresent(folder, limitBytes);
    // The log is gone by now: SQLite would apply it to the restored file.
    fileSystem.rename(unfinished, files.main);
    fileSystem.syncFolder(place.store);
    return kept;
  } finally {
    attempt.lock.release();
  }
}

/** Leaves no log, and the main file as it was or absent. */
function keepPresent({ deps, place }: BackupFolder, limitBytes: number): RestoredStore {
  const { fileSystem, now } = deps;
  const files = storeFiles(place.store);
  const isThere = [files.main, files.log].some((path) => fileSystem.stat(path) !== undefined);
  if (!isThere) return { before: null, quarantined: null };
  try {
    const before = makeBackup(new BackupFolder(deps, place), { reason: 'restore', limitBytes }).backup.id;
    const { database } = openDatabase({ ...deps, folder: place.store });
    database.close();
    if (fileSystem.stat(files.log) !== undefined) throw storeError('corrupt', `${files.log} is left`);
    return { before, quarantined: null };
  } catch (error) {
    if (!(error instanceof StoreError) || (error.causeClass !== 'corrupt' && error.causeClass !== 'not-found'))
      throw error;
    const quarantined = join(place.store, `state.kept-${stampOf(now())}.db`);
    moveIfThere(fileSystem, files.log, `${quarantined}.wal`);
    moveIfThere(fileSystem, files.main, quarantined);
    fileSystem.syncFolder(place.store);
    return { before: null, quarantined };
  }
}

function moveIfThere(fileSystem: FileSystem, from: string, to: string): void {
  if (fileSystem.stat(from) !== undefined) fileSystem.rename(from, to);
}

export interface BackupCopy extends StoreCopy {
  /** Sessions to bring back: all, or those of the given conversations. Parents before their children. */
  readonly sessionIds: readonly string[];
}

/** Writes a backup to a private copy of the newest schema, to bring sessions back from. `conversationsOf`: session ids,
 *  or null for all. Throws `not-found` when the backup has none of them. */
export function copyBackup(folder: BackupFolder, id: string, conversationsOf: readonly string[] | null): BackupCopy {
  const { deps } = folder;
  const backup = folder.find(id);
  demandSound(folder, backup);
  const copy = broughtUpToDate(deps, backupCopy(folder, backup));
  try {
    const found = readOnly(deps, copy.folder, (database) =>
      (conversationsOf ?? [null]).flatMap((conversationOf) => sessionsOf(database, conversationOf).sessionIds),
    );
    const sessionIds = [...new Set(found)];
    if (sessionIds.length === 0 && conversationsOf !== null)
      throw new StoreError(
        'not-found',
        t('This session is not in the backup.'),
        `${conversationsOf.join()} is not in ${id}`,
      );
    return { ...copy, sessionIds };
  } catch (error) {
    copy.remove();
    throw error;
  }
}

/** A private copy of a backup, as it is. */
export function backupCopy({ deps, place, pool }: BackupFolder, backup: Backup): StoreCopy {
  return filledCopy(deps, place.backups, (folder) =>
    writeStoredFile(deps.fileSystem, storeFiles(folder).main, backup.manifest.main, pool),
  );
}

function demandSound(folder: BackupFolder, backup: Backup): void {
  const problems = verifyBackup(folder, backup);
  if (backup.manifest.schemaVersion > schemaVersion)
    throw storeError('newer', `backup ${backup.id} has schema version ${backup.manifest.schemaVersion}`);
  if (problems.length === 0) return;
  throw new StoreError(
    'corrupt',
    t('This backup is damaged, so nothing was restored and your sessions are as they were. Choose another backup.'),
    problems.join('; '),
  );
}
