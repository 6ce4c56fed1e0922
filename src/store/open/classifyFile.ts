import type { FileSystem } from '../engine/fileSystem';
import type { FileHeader } from './fileHeader';
import { applicationId, readHeader } from './fileHeader';
import { readLog } from './logPages';
import type { StoreFiles } from './storeFiles';

/** Type of the file at the store's path. Derived from its first 100 bytes, its size and its log, before SQLite
 *  touches it: SQLite would treat an empty file beside a log as new and delete the log, rewrite the header of a
 *  foreign file, and open a truncated one. */
export type FileClass =
  | { readonly kind: 'absent' }
  /** The main file is gone or empty, but a log holds rows. */
  | { readonly kind: 'logOnly' }
  | { readonly kind: 'ours'; readonly header: FileHeader; readonly logBytes: number }
  /** A valid SQLite file of another program. */
  | { readonly kind: 'foreign'; readonly applicationId: number }
  | { readonly kind: 'damaged'; readonly damage: Damage }
  | { readonly kind: 'notAFile' };

/** `empty`: a store is created whole, so another program emptied its file or replaced it with an empty one. */
export type Damage = 'empty' | 'not-sqlite' | 'header' | 'truncated' | 'log-without-file' | 'content';

export function classifyFile(fileSystem: FileSystem, files: StoreFiles): FileClass {
  const stat = fileSystem.stat(files.main);
  const logBytes = fileSystem.stat(files.log)?.size ?? 0;
  if (stat === undefined) return { kind: logBytes > 0 ? 'logOnly' : 'absent' };
  if (stat.kind !== 'file') return { kind: 'notAFile' };
  if (stat.size === 0) return logBytes > 0 ? { kind: 'logOnly' } : { kind: 'damaged', damage: 'empty' };

  const header = readHeader(fileSystem, files.main);
  if (header === undefined) return { kind: 'damaged', damage: 'not-sqlite' };
  if (header.applicationId !== applicationId) return { kind: 'foreign', applicationId: header.applicationId };
  if (!header.sound) return { kind: 'damaged', damage: 'header' };
  if (isTruncated(fileSystem, files, stat.size, header)) return { kind: 'damaged', damage: 'truncated' };
  return { kind: 'ours', header, logBytes };
}

/** True when a file shorter than its header says has lost its end. It has not when every missing page is in the log:
 *  a checkpoint writes the first page (with the new page count) before the last one. If the log holds a commit, the
 *  log gives the page count: a checkpoint after a rewrite of the file truncates it while its first page may still be
 *  the old one. */
function isTruncated(fileSystem: FileSystem, files: StoreFiles, size: number, header: FileHeader): boolean {
  if (header.pageCount === null || size >= header.pageCount * header.pageSize) return false;
  const log = readLog(fileSystem, files.log, 'salts');
  const pages = log?.databasePages ?? header.pageCount;
  for (let page = Math.floor(size / header.pageSize) + 1; page <= pages; page += 1) {
    if (log?.pages.has(page) !== true) return true;
  }
  return false;
}

/** Determines the damage of a file that was found damaged in use, even if parts of it can be read. Its process had
 *  made it as long as its log says. */
export function damageInUse(fileSystem: FileSystem, files: StoreFiles): Damage {
  const size = fileSystem.stat(files.main)?.size ?? 0;
  const log = readLog(fileSystem, files.log, 'salts');
  if (size === 0) return 'empty';
  return log !== undefined && size < log.databasePages * log.pageSize ? 'truncated' : 'content';
}
