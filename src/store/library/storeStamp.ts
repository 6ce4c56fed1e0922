import type { FileSystem } from '../engine/fileSystem';
import { errnoOf } from '../engine/fileSystem';
import { headerSize } from '../open/fileHeader';
import type { StoreFiles } from '../open/storeFiles';

/** First bytes of a log. They differ for each new log, in our form and in SQLite's own. */
const logBeginning = 32;

/** State of a store's file and log at one moment, with enough detail to detect later writes. */
interface StoreStamp {
  /** Identity, size, time and header of the main file; null when there is none. */
  readonly main: string | null;
  /** Identity and header of the log; the salts in the header change whenever the log restarts. Null when there is no
   *  log or an empty one. */
  readonly log: string | null;
  readonly logBytes: number;
  /** Milliseconds since 1970. */
  readonly mainModifiedAt: number;
}

export function stampOfStore(fileSystem: FileSystem, { main, log }: Pick<StoreFiles, 'main' | 'log'>): StoreStamp {
  const mainStat = fileSystem.stat(main);
  const logStat = fileSystem.stat(log);
  const isLogEmpty = logStat === undefined || logStat.size === 0;
  return {
    main:
      mainStat === undefined
        ? null
        : [mainStat.identity, mainStat.size, mainStat.modifiedAt, beginning(fileSystem, main, headerSize)].join(),
    log: isLogEmpty ? null : [logStat.identity, beginning(fileSystem, log, logBeginning)].join(),
    logBytes: logStat?.size ?? 0,
    mainModifiedAt: mainStat?.modifiedAt ?? 0,
  };
}

/** True when nothing was written between the two stamps. */
export function isUntouched(before: StoreStamp, after: StoreStamp): boolean {
  return before.main === after.main && before.log === after.log && before.logBytes === after.logBytes;
}

/** True when a copy made between the two stamps, the main file first, is a consistent state of one moment. Only a
 *  checkpoint writes to the main file, and only pages that are in the log. As long as the log continues from the
 *  same beginning, its copy has every page that may be old, new or torn in the main file's copy. SQLite then uses
 *  the log's version. Without a log, nothing may have been written. */
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
    // Removed since the check.
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}
