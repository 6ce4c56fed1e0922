import { lstatSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isAlias, treatmentOf } from '../pathTreatment';
import type { FoundFiles } from './limits';
import type { ListedFiles } from './listFiles';
import { realPath } from '../../base/realPath';

/** Limits for a confined command in a folder, by the table of paths: it may not change files that need approval in
 *  every mode, and may not read secrets. */
export async function filesToGuard(folder: string, { names }: ListedFiles): Promise<FoundFiles> {
  const kept = new Set<string>();
  const hidden = new Set<string>();
  // Check the folder's own entries by name: the list contains no empty folders.
  const there = await readdir(folder).catch(() => []);
  const repositories = new Set(['']);
  for (const file of [...there, ...names]) {
    const repository = /^(.*?)(?:^|\/)\.git(?:\/|$)/.exec(file)?.[1];
    if (repository !== undefined) {
      // What Git runs or follows is the helper's to guard.
      repositories.add(repository);
      continue;
    }
    const { isKept, isHidden } = treatmentOf(file);
    // The shortest guarded name covers everything below it.
    if (isKept) kept.add(foldersOf(file).find((name) => treatmentOf(name).isKept) ?? file);
    if (isHidden) hidden.add(file);
  }
  const writable = await Promise.all([...repositories].map((name) => placesOf(join(folder, name))));
  const places = (found: ReadonlySet<string>): readonly string[] =>
    [...found].map((name) => realPath(join(folder, name)));
  return { kept: places(kept), hidden: places(hidden), writable: writable.flat() };
}

/** Names that appeared in a folder and that only the user may allow, the shortest new ones. */
export function namesToTakeOut(before: ListedFiles, after: ListedFiles): readonly string[] {
  const known = new Set(before.names.flatMap((name) => [name, ...foldersOf(name)]));
  const made = after.names.filter((name) => !known.has(name) || before.links.get(name) !== after.links.get(name));
  const taken = made.filter((name) => treatmentOf(name).isTakenOut || (after.links.has(name) && isAlias(name)));
  return [
    ...new Set(
      taken.map((name) => foldersOf(name).find((each) => !known.has(each) && treatmentOf(each).isTakenOut) ?? name),
    ),
  ].sort();
}

/** Relative folders above a file, the outermost first. */
export function foldersOf(file: string): readonly string[] {
  const parts = file.split('/');
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Folders that Git must write to when the files of a folder's repository are elsewhere (a worktree, a submodule). */
async function placesOf(folder: string): Promise<readonly string[]> {
  const own = await pathIn(join(folder, '.git'), /^gitdir:\s*(.+?)\s*$/m, folder);
  // Anyone can write such a file. Allow writing only if the repository in turn names this folder.
  if (own === null || !(await leadsBack(own, folder))) return [];
  const place = realPath(own);
  return basename(dirname(place)) === 'worktrees' ? [place, dirname(dirname(place))] : [place];
}

async function leadsBack(repository: string, folder: string): Promise<boolean> {
  const worktree = await pathIn(join(repository, 'gitdir'), /^(.+?)\s*$/m, repository);
  const submodule = await pathIn(join(repository, 'config'), /^\s*worktree\s*=\s*(.+?)\s*$/m, repository);
  return isFile(join(repository, 'HEAD')) && (worktree === join(folder, '.git') || submodule === folder);
}

/** Path that a Git file names, resolved against `base`; null when it names none. */
async function pathIn(file: string, line: RegExp, base: string): Promise<string | null> {
  // A pipe or a device may never end.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const path = line.exec(await readFile(file, 'utf8').catch(() => ''))?.[1];
  return path === undefined ? null : resolve(base, path);
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
