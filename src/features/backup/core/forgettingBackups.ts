import { openDatabase } from '../../../store/open/openDatabase';
import { storeFiles } from '../../../store/open/storeFiles';
import { migrate } from '../../../store/schema/migrations';
import { createSessionDb } from '../../../store/session/sessionDb';
import { StoreError } from '../../../store/storeError';
import type { BackupDeps, BackupFolder } from './folder';
import { DamagedChunk } from './chunkPool';
import { chunksOf, type Backup } from './manifest';
import { openStored } from './openedBackup';
import { backupCopy } from './restoring';
import { readStore } from './storeReading';

export interface ForgottenInBackups {
  /** Backups that were written again without the sessions. */
  readonly rewritten: readonly string[];
  /** Damaged backups that were removed: they may have held the sessions and cannot be written again. */
  readonly removed: readonly string[];
  /** Backups of stores over 256 MB: the rows are gone, but fragments may stay in unused parts of the file. */
  readonly incomplete: readonly string[];
  /** Manifests that cannot be read, for example of a later version. */
  readonly unreadable: readonly string[];
}

/** Erases sessions from all backups of a folder: each backup that holds one is opened in a private copy, the sessions
 *  are erased there as in the store, and the backup is written again under its name. Then the chunks that held them are
 *  removed. After a crash, call it again: what is done is skipped. Throws a `StoreError`. */
export function forgetInBackups(folder: BackupFolder, sessionIds: readonly string[]): ForgottenInBackups {
  const { deps, place, pool } = folder;
  return folder.changing(() => {
    const { backups, damaged } = folder.list();
    pool.expectDurable(chunksOf(backups));
    const rewritten: string[] = [];
    const removed: string[] = [];
    const incomplete: string[] = [];
    const erased = new Set(sessionIds);
    for (const backup of backups) {
      const { id } = backup;
      try {
        if (!folder.sessionsIn(backup).some((session) => erased.has(session.id))) continue;
        const { backup: clean, isComplete } = without(folder, backup, sessionIds);
        pool.sync();
        folder.write(clean);
        rewritten.push(id);
        if (!isComplete) incomplete.push(id);
      } catch (error) {
        if (!isDamage(error)) throw error;
        folder.remove(id);
        removed.push(id);
      }
    }
    deps.fileSystem.syncFolder(place.backups);
    folder.keepNeeded();
    pool.sync();
    return { rewritten, removed, incomplete, unreadable: damaged };
  });
}

function isDamage(error: unknown): boolean {
  return error instanceof DamagedChunk || (error instanceof StoreError && error.causeClass === 'corrupt');
}

/** The same backup without the sessions, its chunks in the pool. */
function without(
  folder: BackupFolder,
  backup: Backup,
  sessionIds: readonly string[],
): { readonly backup: Backup; readonly isComplete: boolean } {
  const { deps, pool } = folder;
  // Before the copy is made: names the chunk.
  for (const hash of backup.manifest.main.chunks) pool.read(hash);
  const copy = backupCopy(folder, backup);
  try {
    const isComplete = eraseFrom(deps, copy.folder, sessionIds);
    const main = readStore(deps, storeFiles(copy.folder), pool);
    const { sessions, messages, schemaVersion: version } = openStored(folder, main);
    const contents = folder.addSessions(sessions);
    const counts = { sessions: sessions.length, messages, schemaVersion: version };
    return { backup: { id: backup.id, manifest: { ...backup.manifest, ...counts, main, contents } }, isComplete };
  } finally {
    copy.remove();
  }
}

/** Returns true when no byte of the sessions is left. */
function eraseFrom(deps: BackupDeps, folder: string, sessionIds: readonly string[]): boolean {
  const { now } = deps;
  const { database } = openDatabase({ ...deps, folder });
  try {
    migrate(database);
    const sessions = createSessionDb({ database, now, fileSizes: () => database.sizes() });
    // As opening the backup would do; the file cannot be rewritten while a turn runs.
    sessions.recoverTurns();
    database.run(
      `UPDATE turns SET state = 'settled', outcome = 'interrupted', stop_reason = 'crash', approval_id = NULL
       WHERE state <> 'settled' AND session_id IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(sessionIds)],
    );
    let isComplete = true;
    for (const id of sessionIds)
      if (sessions.getSession(id) !== null) isComplete = sessions.forgetSession(id).isComplete && isComplete;
    // What the store was erasing when the backup was made.
    sessions.scrub();
    return isComplete;
  } finally {
    database.close();
  }
}
