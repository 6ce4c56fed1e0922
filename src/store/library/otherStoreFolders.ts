import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../engine/fileSystem';
import type { FileSystem } from '../engine/fileSystem';
import { storeFiles } from '../open/storeFiles';
import type { StoreLocations } from './otherStore';

/** Lists folders with another store that was written since then (seconds), the most recently written first. */
export function otherStoreFolders(
  fileSystem: FileSystem,
  { workspaces, shelves, own }: StoreLocations,
  since: number,
): readonly string[] {
  const folders = new Set([
    ...workspaces.flatMap(({ root, extension }) => namesIn(root).map((name) => join(root, name, extension))),
    ...shelves.flatMap((shelf) => namesIn(shelf).map((name) => join(shelf, name))),
  ]);
  return [...folders]
    .filter((folder) => folder !== own)
    .map((folder) => ({ folder, writtenAt: lastWritten(fileSystem, folder) }))
    .filter(({ writtenAt }) => writtenAt !== null && writtenAt >= since * 1000)
    .sort((one, other) => (other.writtenAt ?? 0) - (one.writtenAt ?? 0))
    .map(({ folder }) => folder);
}

/** Time of the last write to a store, in milliseconds since 1970; null when there is no store. */
export function lastWritten(fileSystem: FileSystem, folder: string): number | null {
  const { main, log } = storeFiles(folder);
  try {
    const stat = fileSystem.stat(main);
    if (stat?.kind !== 'file') return null;
    return Math.max(stat.modifiedAt, fileSystem.stat(log)?.modifiedAt ?? 0);
  } catch (error) {
    // A place without read permission is not ours.
    if (['EACCES', 'EPERM', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error))) return null;
    throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR'].includes(errnoOf(error))) return [];
    throw error;
  }
}
