import { dirname } from 'node:path';
import { writeNewFile } from './fileSystem';
import { journalBytes, rollbackJournal } from './sqliteAbi';
import type { Connection } from './sqlite';

/** Bytes of a database. The image is made in memory, which may not hold a larger one. */
const largestImage = 512 * 1024 * 1024;

/** Saves the database as this connection sees it, including its pages in memory, to a separate file that appears
 *  only when complete. Pages that no longer exist anywhere are zeros in it. Returns its path, or null when none is
 *  kept. Must not run inside a write transaction; throws the disk's error. */
export function keepImage({ handle, mounted }: Connection): string | null {
  const { fileSystem, mainPath, imagePath } = mounted.files;
  if (imagePath === undefined || mounted.leastSize > largestImage) return null;
  const path = imagePath();
  const unfinished = `${mainPath}.new`;
  mounted.showsZeros = true;
  try {
    const image = handle.export();
    for (const offset of journalBytes) image[offset] = rollbackJournal;
    if (fileSystem.stat(unfinished) !== undefined) fileSystem.remove(unfinished);
    writeNewFile(fileSystem, unfinished, image);
    fileSystem.rename(unfinished, path);
    fileSystem.syncFolder(dirname(path));
    return path;
  } finally {
    mounted.showsZeros = false;
  }
}
