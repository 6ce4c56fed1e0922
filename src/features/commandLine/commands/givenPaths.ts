import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { privateFolder } from '../../../base/privateFolder';
import { nodeReadingDeps } from '../../../store/library/nodeReading';
import { sweepCopies } from '../../../store/library/storeCopy';
import { storeFolderOf } from '../../../store/ownership/storeFolder';
import { UsageError, type OptionValues, type Terminal } from './command';

/** Whole path of a file or folder that the user named. Throws when it does not exist, and for a pipe or a device, which
 *  may never end. */
export function givenPath({ folder }: Pick<Terminal, 'folder'>, word: string, kind?: 'file' | 'folder'): string {
  const path = resolve(folder, word);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`There is no ${path}.`);
  if (!found.isFile() && !found.isDirectory()) throw new Error(`${path} is neither a file nor a folder.`);
  if (kind !== undefined && (kind === 'file') !== found.isFile()) throw new Error(`${path} is not a ${kind}.`);
  return path;
}

/** Folder of the store that `--store` names. Throws when it does not exist. */
export function givenStore(terminal: Terminal, { store }: OptionValues): string {
  if (typeof store !== 'string') throw new UsageError('Name the folder of the store: --store <folder>.');
  return givenPath(terminal, storeFolderOf(resolve(terminal.folder, store)), 'folder');
}

/** Refuses to write over a folder, a pipe or a device. */
export function assertWritable(path: string): void {
  if (existsSync(path) && !statSync(path).isFile()) throw new Error(`${path} is not a file.`);
}

/** Tools for reading stores. Removes the private copies of commands that were killed. */
export async function readingTools({ programFolder }: Terminal): ReturnType<typeof nodeReadingDeps> {
  const deps = await nodeReadingDeps(join(programFolder, 'sql-wasm.wasm'), join(privateFolder(), 'reading'));
  sweepCopies(deps);
  return deps;
}
