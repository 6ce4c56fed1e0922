import { lstatSync, realpathSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { changeReasons, isSecret } from '../sensitivePaths';
import type { FoundFiles } from './limits';

/** Lists the files below a folder by their relative paths, including hidden and ignored ones. Leaves out those of
 *  `node_modules`, and all folders inside `.git`. */
export type ListFiles = (folder: string) => Promise<readonly string[]>;

/** Folders in which package managers write programs. */
const installed =
  /(^|\/)(node_modules|\.?v?env|\.?virtualenv|\.conda|\.tox|\.nox|\.yarn|\.cargo|\.bundle|\.config|\.local|\.bin|\.mvn|\.run)(\/|$)/i;

/** Limits for a confined command in a folder: it may not change files that need approval in every mode, and may not
 *  read secrets. */
export async function filesToGuard(folder: string, list: ListFiles): Promise<FoundFiles> {
  const kept = new Set<string>();
  const hidden = new Set<string>();
  const judged = new Map<string, boolean>();
  const isGuardedFolder = (name: string): boolean => {
    const isKnown = judged.get(name);
    if (isKnown !== undefined) return isKnown;
    judged.set(name, isGuarded(name));
    return isGuarded(name);
  };
  // Check the folder's own entries by name: a list of files contains neither links nor empty folders.
  const there = await readdir(folder).catch(() => []);
  const repositories = new Set(['']);
  for (const file of [...there, ...(await list(folder))]) {
    const repository = /^(.*?)(?:^|\/)\.git(?:\/|$)/.exec(file)?.[1];
    if (repository !== undefined) {
      // What Git runs or follows is the helper's to guard.
      repositories.add(repository);
      continue;
    }
    // The shortest guarded name covers everything below it.
    const guarded = foldersOf(file).find(isGuardedFolder) ?? (isGuarded(file) ? file : null);
    if (guarded !== null) kept.add(guarded);
    if (isSecret(file)) hidden.add(file);
  }
  const writable = await Promise.all([...repositories].map((name) => placesOf(join(folder, name))));
  const places = (names: ReadonlySet<string>): readonly string[] =>
    [...names].map((name) => realPath(join(folder, name)));
  return { kept: places(kept), hidden: places(hidden), writable: writable.flat() };
}

function foldersOf(file: string): readonly string[] {
  const parts = file.split('/');
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function isGuarded(name: string): boolean {
  return !installed.test(name) && changeReasons(name).some((reason) => reason !== 'sensitive');
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
  const path = line.exec(await readFile(file, 'utf8').catch(() => ''))?.[1];
  return path === undefined ? null : resolve(base, path);
}

export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
