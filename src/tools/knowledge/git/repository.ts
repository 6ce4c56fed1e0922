import { join } from 'node:path';
import type { AccessPath } from '../../../transcript/approval';
import type { AccessPaths } from '../../accessPaths';
import { isSecret, judgedName } from '../../pathTreatment';
import type { ReadDenials } from '../../secretFiles';
import { FileNotFound } from '../../workspaceFiles';
import type { WorkspacePaths } from '../../workspacePaths';
import type { GitOutput, RunGitQuery } from './gitCommand';

export interface GitDeps extends ReadDenials {
  readonly git: RunGitQuery;
  readonly paths: WorkspacePaths;
  readonly access: AccessPaths;
  /** Git follows the repository's own configuration, so run it only in folders that the user trusts. */
  readonly isTrusted: () => boolean;
}

/** Target of a git command: `folder` is an open folder, `below` a path in it, "." for all of it. */
export interface GitTarget {
  readonly folder: string;
  readonly below: string;
  readonly shown: string;
}

/** Open folders that a call refers to: the one that contains the path, or all. Rejects with a sentence for the
 *  model. */
export async function targetsOf(
  { files, paths, isTrusted }: GitDeps,
  written: string | undefined,
): Promise<readonly GitTarget[]> {
  if (!isTrusted())
    throw new Error('Git is unavailable because this folder isn’t trusted (Restricted Mode). The person can trust it.');
  const roots = files.roots();
  if (written === undefined || written.trim() === '' || written.trim() === '.') {
    if (roots.length === 0) throw new Error('No folder is open in the editor.');
    return roots.map(({ path, name }) => ({ folder: path, below: '.', shown: roots.length === 1 ? '.' : name }));
  }
  const path = await pathIn(paths, written);
  const root = roots.find(
    (candidate) =>
      path === candidate.path || path.startsWith(candidate.path + (candidate.path.includes('\\') ? '\\' : '/')),
  );
  if (root === undefined) throw new Error(`${written} is outside the open folders.`);
  const below = path.slice(root.path.length + 1).replaceAll('\\', '/');
  return [{ folder: root.path, below: below === '' ? '.' : below, shown: paths.display(path) }];
}

/** Resolves a path. A file that git knows may be deleted, so its folder is enough. */
async function pathIn(paths: WorkspacePaths, written: string): Promise<string> {
  try {
    return await paths.resolveExisting(written);
  } catch (error) {
    if (!(error instanceof FileNotFound)) throw error;
    const [, folder, name] = /^(.*)[\\/]([^\\/]+)$/.exec(written.trim()) ?? [null, '.', written.trim()];
    if (folder === undefined || name === undefined || name === '' || name === '..') throw error;
    const parent = await paths.resolveExisting(folder).catch(() => null);
    if (parent === null) throw error;
    return `${parent}${parent.includes('\\') ? '\\' : '/'}${name}`;
  }
}

/** Paths that need approval to read before a diff of a file is shown: the file, or the target of its links, may hold
 *  secrets, or a rule denies reading it. Empty: none. Judges the path that git gets, not the written one. Rejects
 *  with a sentence for the model. */
export async function secretReads(deps: GitDeps, written: string | undefined): Promise<readonly AccessPath[]> {
  if (written === undefined) return [];
  const [target, ...others] = await targetsOf(deps, written);
  if (target === undefined || others.length > 0 || target.below === '.') return [];
  const { folder, below, shown } = target;
  const named: AccessPath = { path: join(folder, below), shown, isInside: true };
  // For a link that leads nowhere, git only shows the link's target.
  const real = await deps.access.locate(named.path).catch(() => named);
  const places = real.shown === shown ? [real] : [named, real];
  return places.some((place) => isSecret(judgedName(place)) || deps.deniesReading(place)) ? places : [];
}

/** Splits changed names into those to show and those to withhold because they may hold secrets. `below`: the path
 *  that the call named. */
export function readableNames(
  names: readonly string[],
  below: string,
): { readonly readable: readonly string[]; readonly kept: readonly string[] } {
  const secrets = withFoldersOf(names.filter((name) => name !== below && isSecret(name)));
  return { readable: names.filter((name) => !secrets.has(name)), kept: names.filter((name) => secrets.has(name)) };
}

/** Splits changed names into those to show and those that a rule denies reading. */
export async function permittedNames(
  { access, paths, deniesReading }: GitDeps,
  names: readonly string[],
  folder: string,
): Promise<{ readonly readable: readonly string[]; readonly kept: readonly string[] }> {
  // Git follows no link on the way to a name, so the real path of the folder gives those of all names.
  const real = (await access.locate(folder)).path;
  const denied = withFoldersOf(
    names.filter((name) =>
      deniesReading({ path: join(real, name), shown: paths.display(join(folder, name)), isInside: true }),
    ),
  );
  return { readable: names.filter((name) => !denied.has(name)), kept: names.filter((name) => denied.has(name)) };
}

/** A path given to git includes everything below it: a name may have been a file before and be a folder now. */
function withFoldersOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(
    names.flatMap((name) => {
      const parts = name.split('/');
      return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
    }),
  );
}

/** Checks the name of a commit, branch, or range. Rejects anything that git would read as an option or as a path
 *  inside a commit. */
export function checkedRef(ref: string): string {
  if (/^[\p{L}\p{N}_@][\p{L}\p{N}_./@{}^~+-]*$/u.test(ref)) return ref;
  throw new Error(
    `"${ref}" is no name of a commit, branch or range that git_diff takes. Write for example HEAD~1, main or ` +
      'main..HEAD.',
  );
}

/** Output of a successful git command. Otherwise throws with git's error. */
export function textOf({ code, text, error }: GitOutput, what: string): string {
  if (code === 0) return text;
  if (/not a git repository/i.test(error)) throw new Error('The open folder is no git repository.');
  if (/dubious ownership/i.test(error))
    throw new Error(
      'git does not work here because the folder belongs to somebody else ("dubious ownership"). The person can ' +
        'allow it with git config safe.directory.',
    );
  if (
    /does not have any commits yet|unknown revision 'HEAD'|ambiguous argument 'HEAD'|bad revision 'HEAD'/i.test(error)
  )
    throw new Error('The repository has no commits yet.');
  throw new Error(`${what} failed: ${error.split('\n').slice(0, 3).join(' ') || `git ended with ${code}`}`);
}
