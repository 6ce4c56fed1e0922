import { dirname } from 'node:path';
import { writeNewFile } from './fileSystem';
import { journalBytes, rollbackJournal } from './sqliteAbi';
import type { Connection } from './sqlite';

/** Of the database, in bytes. The image is made in memory, which may not hold a larger one. */
const largestImage = 512 * 1024 * 1024;

/** Keeps the database as this connection sees it, its pages in memory among them, in a file of its own that appears complete. Pages that are
 *  nowhere any more are zeros in it. Returns its path, or null where none is kept. Not inside a write transaction; throws what the disk says. */
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
