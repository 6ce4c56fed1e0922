import { join } from 'node:path';
import { copyFile, errnoOf, type FileSystem } from '../engine/fileSystem';
import { diskError } from '../engine/sqlFailure';
import type { SqlDatabase } from '../engine/sqlDatabase';
import { storeFiles } from '../open/storeFiles';

/** Keeps `state.version-<n>.db`, a complete copy of the current database, before a migration that rewrites content
 *  the user has seen. Durable when it returns. An existing copy is from an earlier attempt at the same migration,
 *  made from the same rows, and is replaced. */
export function keepCopy(fileSystem: FileSystem, database: SqlDatabase, folder: string, version: number): void {
  database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  const target = join(folder, `state.version-${version}.db`);
  const unfinished = `${target}.new`;
  try {
    if (fileSystem.stat(unfinished) !== undefined) fileSystem.remove(unfinished);
    copyFile(fileSystem, storeFiles(folder).main, unfinished, true);
    fileSystem.rename(unfinished, target);
    fileSystem.syncFolder(folder);
  } catch (error) {
    throw diskError('copy the store to', target, errnoOf(error));
  }
}
