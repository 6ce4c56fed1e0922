import { join } from 'node:path';
import type { FileSystem } from '../engine/fileSystem';
import { errnoOf } from '../engine/fileSystem';
import { diskError, storeError } from '../engine/sqlFailure';
import type { SqlJsDatabase } from '../engine/sqlJsDatabase';
import { stampOf, storeFiles } from './storeFiles';

const blockBytes = 1024 * 1024;

/** Keeps a durable copy of the store as it is now, before a migration rewrites rows. Returns its path
 *  (`state.version-<n>-<time>.db`, readable by any SQLite). Throws `StoreError`; the store is unchanged then. `now` in seconds. */
export function keepCopy(fileSystem: FileSystem, folder: string, database: SqlJsDatabase, version: number, now: number): string {
  const files = storeFiles(folder);
  database.all('PRAGMA wal_checkpoint(TRUNCATE)');
  // Everything must be in the one file that is copied.
  if (database.sizes().logBytes > 0) throw storeError('unknown', 'the log could not be emptied before copying the store');
  const target = join(folder, `state.version-${version}-${stampOf(now)}.db`);
  const unfinished = `${target}.new`;
  try {
    if (fileSystem.stat(unfinished) !== undefined) fileSystem.remove(unfinished);
    copyFile(fileSystem, files.main, unfinished);
    fileSystem.rename(unfinished, target);
    fileSystem.syncFolder(folder);
    return target;
  } catch (error) {
    if (fileSystem.stat(unfinished) !== undefined) fileSystem.remove(unfinished);
    throw diskError('copy the store to', target, errnoOf(error));
  }
}

function copyFile(fileSystem: FileSystem, from: string, to: string): void {
  const source = fileSystem.open(from, 'read');
  try {
    const target = fileSystem.open(to, 'createNew');
    try {
      const block = new Uint8Array(blockBytes);
      for (let at = 0; ; ) {
        const count = source.read(block, at);
        if (count === 0) break;
        target.write(block.subarray(0, count), at);
        at += count;
      }
      target.sync();
    } finally {
      target.close();
    }
  } finally {
    source.close();
  }
}
