import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { copyFile, errnoOf, namesIn, type FileSystem } from '../engine/fileSystem';
import { classifyFile } from './fileHeader';
import { logOf, stampOf, type StoreFiles } from './storeFiles';

const replacedName = /^state\.replaced-(\d+)\.db$/;

/** Folder for copies of this store when its own folder cannot take them. It is below `shared`, which stores of
 *  several folders use. */
export function rescueFolderIn(shared: string, storeFolder: string): string {
  return join(shared, `rescued-${createHash('sha256').update(storeFolder).digest('hex').slice(0, 16)}`);
}

/** Copies of this store that were made because its file was moved, deleted or replaced while it was open
 *  (`rescue.ts`), the newest last. */
export function replacedFiles(fileSystem: FileSystem, folders: readonly string[]): readonly string[] {
  return folders
    .flatMap((folder) =>
      namesIn(fileSystem, folder).flatMap((name) => {
        const number = replacedName.exec(name)?.[1];
        const path = join(folder, name);
        return number === undefined
          ? []
          : [{ path, number: Number(number), modifiedAt: fileSystem.stat(path)?.modifiedAt ?? 0 }];
      }),
    )
    .sort((a, b) => a.modifiedAt - b.modifiedAt || a.number - b.number)
    .map(({ path }) => path);
}

/** Gives the newest copy that can be opened the store's name, if no file has that name. Returns the copy's former
 *  path; null when there is none. Never replaces a file. The caller owns the store. */
export function putBack(
  fileSystem: FileSystem,
  files: StoreFiles,
  folders: readonly string[],
  schemaVersion: number,
): string | null {
  const isOurs = (path: string): boolean => {
    const found = classifyFile(fileSystem, { ...files, main: path, log: logOf(path) });
    return found.kind === 'ours' && found.header.userVersion <= schemaVersion;
  };
  const copy = replacedFiles(fileSystem, folders).findLast(isOurs);
  if (copy === undefined || !giveName(fileSystem, copy, files)) return null;
  fileSystem.syncFolder(files.folder);
  fileSystem.remove(copy);
  fileSystem.syncFolder(dirname(copy));
  return copy;
}

/** Removes the second name of a restored store if the process that restored it died before it could do so. */
export function dropSecondNames(fileSystem: FileSystem, files: StoreFiles): void {
  const identity = fileSystem.stat(files.main)?.identity;
  if (identity === undefined) return;
  for (const path of replacedFiles(fileSystem, [files.folder]))
    if (fileSystem.stat(path)?.identity === identity) fileSystem.remove(path);
}

/** Renames a finished copy so that it is not offered again. Returns the new path. */
export function retire(fileSystem: FileSystem, path: string, as: 'merged' | 'kept', now: number): string {
  const folder = dirname(path);
  for (let attempt = 0; ; attempt++) {
    const target = join(folder, `state.${as}-${stampOf(now)}${attempt === 0 ? '' : `-${attempt}`}.db`);
    if (fileSystem.stat(target) !== undefined) continue;
    fileSystem.rename(path, target);
    fileSystem.syncFolder(folder);
    return target;
  }
}

/** False when a file with the store's name now exists. */
function giveName(fileSystem: FileSystem, copy: string, files: StoreFiles): boolean {
  try {
    fileSystem.link(copy, files.main);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    // Another disk, or a file system without links: make a complete second copy first.
  }
  const unborn = `${files.main}.new`;
  if (fileSystem.stat(unborn) !== undefined) fileSystem.remove(unborn);
  copyFile(fileSystem, copy, unborn, true);
  if (fileSystem.stat(files.main) !== undefined) return false;
  fileSystem.rename(unborn, files.main);
  return true;
}
