import * as path from 'node:path';

/** The names of the store's files in its folder. docs/store.md says what each holds. */
export interface StoreFiles {
  readonly folder: string;
  readonly main: string;
  readonly log: string;
  readonly lock: string;
}

export function storeFiles(folder: string): StoreFiles {
  const main = path.join(folder, 'state.db');
  // Not `state.db-wal`: an outside SQLite that believes itself alone would check that log in and delete it under us.
  return { folder, main, log: logOf(main), lock: `${main}.lock` };
}

export function logOf(main: string): string {
  return `${main}.wal`;
}

const stampPattern = String.raw`\d{8}T\d{9}Z(?:-\d+)?`;
const pendingName = new RegExp(String.raw`^state\.damaged-(${stampPattern})\.db$`);

/** A damaged file whose readable rows are not all in the new store yet. Renamed to `setAsidePath` when they are. */
export function pendingPath(folder: string, stamp: string): string {
  return path.join(folder, `state.damaged-${stamp}.db`);
}

/** A damaged file that is done with. Kept for ever, never read again. */
export function setAsidePath(folder: string, stamp: string): string {
  return path.join(folder, `state.corrupt-${stamp}.db`);
}

/** The stamp of a pending file's name, undefined for any other name. */
export function pendingStamp(name: string): string | undefined {
  return pendingName.exec(name)?.[1];
}

/** `20261120T085931123Z`; sorts by time and holds no character a file system minds. `now` in seconds. */
export function stampOf(now: number): string {
  return new Date(now * 1000).toISOString().replace(/[-:.]/g, '');
}
