import type { FileSystem } from '../engine/fileSystem';
import { errnoOf } from '../engine/fileSystem';
import { headerSize } from '../open/fileHeader';
import type { StoreFiles } from '../open/storeFiles';

const logHeaderSize = 32;

/** A store's file and log as they lie on the disk at one moment, as far as it takes to notice that somebody has written since. */
export interface StoreStamp {
  /** File, size, time and header of the main file; null when there is none. */
  readonly main: string | null;
  /** File and header of the log: the salts in it are other ones whenever it begins anew. Null when there is none, or an empty one. */
  readonly log: string | null;
  readonly logBytes: number;
  /** Milliseconds since 1970. */
  readonly mainModifiedAt: number;
}

export function stampOfStore(fileSystem: FileSystem, { main, log }: StoreFiles): StoreStamp {
  const mainStat = fileSystem.stat(main);
  const logStat = fileSystem.stat(log);
  const isLogEmpty = logStat === undefined || logStat.size === 0;
  return {
    main:
      mainStat === undefined
        ? null
        : [mainStat.identity, mainStat.size, mainStat.modifiedAt, beginning(fileSystem, main, headerSize)].join(),
    log: isLogEmpty ? null : [logStat.identity, beginning(fileSystem, log, logHeaderSize)].join(),
    logBytes: logStat?.size ?? 0,
    mainModifiedAt: mainStat?.modifiedAt ?? 0,
  };
}

/** Whether nothing at all was written between the two. */
export function isUntouched(before: StoreStamp, after: StoreStamp): boolean {
  return before.main === after.main && before.log === after.log && before.logBytes === after.logBytes;
}

/** Whether a copy made between the two, the main file first, holds what one moment held. Only a checkpoint writes into the main file, and only
 *  pages that are in the log: as long as the log goes on from the same beginning, its copy has every page of which the main file's copy may
 *  have an old, a new or half a version, and is what SQLite believes. Where there is no log, nothing may have been written. */
export function isOneMoment(before: StoreStamp, after: StoreStamp): boolean {
  if (before.main === null || after.main === null || before.log !== after.log) return false;
  return before.log === null ? before.main === after.main : after.logBytes >= before.logBytes;
}

function beginning(fileSystem: FileSystem, path: string, bytes: number): string {
  try {
    const file = fileSystem.open(path, 'read');
    try {
      const into = new Uint8Array(bytes);
      return Buffer.from(into.subarray(0, file.read(into, 0))).toString('base64');
    } finally {
      file.close();
    }
  } catch (error) {
    // Removed since it was looked at.
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}
