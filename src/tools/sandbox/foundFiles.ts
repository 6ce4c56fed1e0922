import { lstatSync, realpathSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { changeReasons, isSecret } from '../sensitivePaths';
import type { FoundFiles } from './limits';

/** Lists the files below a folder, hidden and ignored ones too, by their paths below it; not those of `node_modules`, and of `.git` none of its folders. */
export type ListFiles = (folder: string) => Promise<readonly string[]>;

/** Package managers write here for the commands they are told to run. */
const installed =
  /(^|\/)(node_modules|\.?v?env|\.?virtualenv|\.conda|\.tox|\.nox|\.yarn|\.cargo|\.bundle|\.config|\.local|\.bin|\.mvn|\.run)(\/|$)/i;

/** In the repository's own folder: what Git runs, or takes from it what to run. Everything else there Git has to write. */
const inRepository = ['config', 'config.worktree', 'info/attributes', 'gitdir', 'commondir'];

/** What a confined command is kept from in a folder: what is asked for in every mode is not changed, secrets are not read. */
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
  // Those that stand in the folder itself are looked at by name: a list of files holds neither links nor empty folders.
  const there = await readdir(folder).catch(() => []);
  const repositories = new Set(['']);
  for (const file of [...there, ...(await list(folder))]) {
    const repository = /^(.*?)(?:^|\/)\.git(?:\/|$)/.exec(file)?.[1];
    if (repository !== undefined) {
      repositories.add(repository);
      continue;
    }
    // The shortest name that is guarded stands for all below it.
    const guarded = foldersOf(file).find(isGuardedFolder) ?? (isGuarded(file) ? file : null);
    if (guarded !== null) kept.add(guarded);
    if (isSecret(file)) hidden.add(file);
  }
  const inside = await Promise.all([...repositories].map((name) => repositoryFiles(join(folder, name))));
  const places = (names: ReadonlySet<string>): readonly string[] =>
    [...names].map((name) => realPath(join(folder, name)));
  return {
    kept: [...places(kept), ...inside.flatMap((each) => each.kept)],
    hidden: places(hidden),
    writable: inside.flatMap((each) => each.writable),
  };
}

function foldersOf(file: string): readonly string[] {
  const parts = file.split('/');
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function isGuarded(name: string): boolean {
  return !installed.test(name) && changeReasons(name).some((reason) => reason !== 'sensitive');
}

/** Of the repository in a folder, also where its files lie elsewhere (a worktree, a submodule): what must not change, and what Git has to write. */
export async function repositoryFiles(
  folder: string,
): Promise<{ readonly kept: readonly string[]; readonly writable: readonly string[] }> {
  const named = join(folder, '.git');
  const kind = kindOf(named);
  if (kind === null) return { kept: [], writable: [] };
  if (kind === 'folder') return { kept: await keptIn(named, folder), writable: [] };
  const own = await pathIn(named, /^gitdir:\s*(.+?)\s*$/m, folder);
  // Anyone can write such a file. Only a repository that names this folder in turn may be written for it.
  if (own === null || !(await leadsBack(own, folder))) return { kept: [named], writable: [] };
  const isWorktree = basename(dirname(own)) === 'worktrees';
  const places = isWorktree ? [own, dirname(dirname(own))] : [own];
  return {
    kept: [named, ...(await Promise.all(places.map((place) => keptIn(place, folder)))).flat()],
    writable: places,
  };
}

async function leadsBack(repository: string, folder: string): Promise<boolean> {
  const worktree = await pathIn(join(repository, 'gitdir'), /^(.+?)\s*$/m, repository);
  const submodule = await pathIn(join(repository, 'config'), /^\s*worktree\s*=\s*(.+?)\s*$/m, repository);
  return kindOf(join(repository, 'HEAD')) === 'file' && (worktree === join(folder, '.git') || submodule === folder);
}

/** What must not change in a repository's own files. */
async function keptIn(repository: string, folder: string): Promise<readonly string[]> {
  const present = inRepository.map((name) => join(repository, name)).filter((path) => kindOf(path) !== null);
  const configured = await pathIn(join(repository, 'config'), /^\s*hookspath\s*=\s*"?([^~].*?)"?\s*$/im, folder);
  return [
    join(repository, 'hooks'),
    ...present,
    ...(configured === null || kindOf(configured) === null ? [] : [configured]),
  ];
}

/** A path that a file of Git's names, begun at `base`; null where it names none. */
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

function kindOf(path: string): 'file' | 'folder' | null {
  try {
    return lstatSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}
