import * as path from 'node:path';

/** Paths of the store's files in its folder. docs/store.md describes the content of each. */
export interface StoreFiles {
  readonly folder: string;
  readonly main: string;
  readonly log: string;
  readonly lock: string;
}

export function storeFiles(folder: string): StoreFiles {
  const main = path.join(folder, 'state.db');
  // Not `state.db-wal`: another SQLite that believes it is alone would checkpoint that log and delete it while we use
  // it.
  return { folder, main, log: logOf(main), lock: `${main}.lock` };
}

export function logOf(main: string): string {
  return `${main}.wal`;
}

const stampPattern = String.raw`\d{8}T\d{9}Z(?:-\d+)?`;
const pendingName = new RegExp(String.raw`^state\.damaged-(${stampPattern})\.db$`);

/** A damaged file whose readable rows are not all in the new store yet. Renamed to `quarantinePath` when they are. */
export function pendingPath(folder: string, stamp: string): string {
  return path.join(folder, `state.damaged-${stamp}.db`);
}

/** A damaged file that was fully read. Kept for ever, never read again. */
export function quarantinePath(folder: string, stamp: string): string {
  return path.join(folder, `state.corrupt-${stamp}.db`);
}

/** The stamp of a pending file's name, undefined for any other name. */
export function pendingStamp(name: string): string | undefined {
  return pendingName.exec(name)?.[1];
}

/** Formats a time as `20261120T085931123Z`; sorts by time and contains only characters that every file system
 *  accepts. `now` in seconds. */
export function stampOf(now: number): string {
  return new Date(now * 1000).toISOString().replace(/[-:.]/g, '');
}
