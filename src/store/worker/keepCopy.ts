import { join } from 'node:path';
import type { FileSystem } from '../engine/fileSystem';
import { errnoOf } from '../engine/fileSystem';
import { diskError } from '../engine/sqlFailure';
import type { SqlDatabase } from '../engine/sqlDatabase';
import { storeFiles } from '../open/storeFiles';

const blockBytes = 1 << 20;

/** Keeps `state.version-<n>.db`, a complete copy of the current database, before a migration that rewrites content
 *  the user has seen. Durable when it returns. An existing copy is from an earlier attempt at the same migration,
 *  made from the same rows, and is replaced. */
export function keepCopy(fileSystem: FileSystem, database: SqlDatabase, folder: string, version: number): void {
  database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  const target = join(folder, `state.version-${version}.db`);
  const unfinished = `${target}.new`;
  try {
    if (fileSystem.stat(unfinished) !== undefined) fileSystem.remove(unfinished);
    copyFile(fileSystem, storeFiles(folder).main, unfinished);
    fileSystem.rename(unfinished, target);
    fileSystem.syncFolder(folder);
  } catch (error) {
    throw diskError('copy the store to', target, errnoOf(error));
  }
}

function copyFile(fileSystem: FileSystem, from: string, to: string): void {
  const source = fileSystem.open(from, 'read');
  try {
    const copy = fileSystem.open(to, 'createNew');
    try {
      const block = new Uint8Array(blockBytes);
      for (
        let position = 0, read = source.read(block, 0);
        read > 0;
        position += read, read = source.read(block, position)
      ) {
        copy.write(block.subarray(0, read), position);
      }
      copy.sync();
    } finally {
      copy.close();
    }
  } finally {
    source.close();
  }
}
