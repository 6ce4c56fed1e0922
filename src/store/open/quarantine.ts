import type { FileSystem } from '../engine/fileSystem';
import type { StoreFiles } from './storeFiles';
import { logOf, pendingPath, pendingStamp, quarantinePath, stampOf } from './storeFiles';

/** Moves the store's file and its log out of the way, as a damaged copy whose rows still have to be salvaged.
 *  Deletes nothing. Moves the file first: `adoptLog` finds a log that a crash in between left alone. Returns the
 *  stamp of its new name. */
export function quarantine(fileSystem: FileSystem, files: StoreFiles, now: number): string {
  const stamp = freeStamp(fileSystem, files.folder, now);
  const target = pendingPath(files.folder, stamp);
  if (fileSystem.stat(files.main) !== undefined) fileSystem.rename(files.main, target);
  // The log is read through its main file; if that is missing, an empty file replaces it.
  else fileSystem.open(target, 'createNew').close();
  fileSystem.syncFolder(files.folder);
  moveLog(fileSystem, files, target);
  return stamp;
}

/** Gives a log without a file to the damaged copy that a crash separated it from. False when there is no such copy. */
export function adoptLog(fileSystem: FileSystem, files: StoreFiles): boolean {
  if (fileSystem.stat(files.main) !== undefined) return false;
  const orphan = pendingStamps(fileSystem, files.folder)
    .map((stamp) => pendingPath(files.folder, stamp))
    .findLast((path) => fileSystem.stat(logOf(path)) === undefined);
  if (orphan === undefined) return false;
  moveLog(fileSystem, files, orphan);
  return true;
}

/** Damaged copies that have not been fully read, oldest first. */
export function pendingStamps(fileSystem: FileSystem, folder: string): readonly string[] {
  return fileSystem
    .list(folder)
    .map(pendingStamp)
    .filter((stamp) => stamp !== undefined)
    .sort();
}

/** Marks a damaged copy as fully read. Returns its final path. */
export function finishQuarantine(fileSystem: FileSystem, folder: string, stamp: string): string {
  const from = pendingPath(folder, stamp);
  const to = quarantinePath(folder, stamp);
  if (fileSystem.stat(logOf(from)) !== undefined) fileSystem.rename(logOf(from), logOf(to));
  fileSystem.rename(from, to);
  fileSystem.syncFolder(folder);
  return to;
}

function moveLog(fileSystem: FileSystem, files: StoreFiles, target: string): void {
  if (fileSystem.stat(files.log) === undefined) return;
  fileSystem.rename(files.log, logOf(target));
  fileSystem.syncFolder(files.folder);
}

/** Finds a stamp that no damaged copy in the folder has. */
export function freeStamp(fileSystem: FileSystem, folder: string, now: number): string {
  const base = stampOf(now);
  for (let attempt = 0; ; attempt += 1) {
    const stamp = attempt === 0 ? base : `${base}-${attempt}`;
    const taken = [pendingPath(folder, stamp), quarantinePath(folder, stamp)].some(
      (path) => fileSystem.stat(path) !== undefined,
    );
    if (!taken) return stamp;
  }
}
