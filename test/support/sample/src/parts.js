import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** The files below `folder`, sorted, each with the name of its part. */
export async function listParts(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.sort().map((file) => ({ file, name: partName(relative(folder, file)) }));
}

/** A part's name is its path with slashes, whatever the machine it comes from writes. */
export function partName(path) {
  return path.replaceAll('\\', '/');
}
