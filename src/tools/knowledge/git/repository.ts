import { join } from 'node:path';
import type { AccessPath } from '../../../transcript/approval';
import type { AccessPaths } from '../../accessPaths';
import { isSecret, judgedName } from '../../approval/sensitivePaths';
import type { ReadDenials } from '../../secretFiles';
import { FileNotFound } from '../../workspaceFiles';
import type { WorkspacePaths } from '../../workspacePaths';
import type { GitOutput, RunGit } from './gitCommand';

export interface GitNeeds extends ReadDenials {
  readonly git: RunGit;
  readonly paths: WorkspacePaths;
  readonly access: AccessPaths;
  /** Git follows what a repository says of itself, so it is only asked in folders that the person trusts. */
  readonly isTrusted: () => boolean;
}

/** Where git is asked, and what for: `folder` is an open folder, `below` a path in it, "." for all of it. */
export interface GitTarget {
  readonly folder: string;
  readonly below: string;
  readonly shown: string;
}

/** Open folders that a call means: the one in which the path lies, or all. Rejects with a sentence for the model. */
export async function targetsOf(
  { files, paths, isTrusted }: GitNeeds,
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

/** A file that git knows may be gone, so its folder decides. */
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

/** What has to be allowed before differences of a file may be shown: reading it, where it or the file behind its links may hold secrets, or
 *  where a rule denies reading it. Empty: nothing. Judged is the path that git is asked for, not the one that was written. Rejects with a sentence for the model. */
export async function secretReads(needs: GitNeeds, written: string | undefined): Promise<readonly AccessPath[]> {
  if (written === undefined) return [];
  const [target, ...others] = await targetsOf(needs, written);
  if (target === undefined || others.length > 0 || target.below === '.') return [];
  const { folder, below, shown } = target;
  const named: AccessPath = { path: join(folder, below), shown, isInside: true };
  // Of a link that leads nowhere git shows where it leads, and nothing else.
  const real = await needs.access.locate(named.path).catch(() => named);
  const places = real.shown === shown ? [real] : [named, real];
  return places.some((place) => isSecret(judgedName(place)) || needs.deniesReading(place)) ? places : [];
}

/** Splits what differs into what is shown and what is kept back because it may hold secrets. `below`: what was asked for by its path. */
export function readableNames(
  names: readonly string[],
  below: string,
): { readonly told: readonly string[]; readonly kept: readonly string[] } {
  const secrets = withFoldersOf(names.filter((name) => name !== below && isSecret(name)));
  return { told: names.filter((name) => !secrets.has(name)), kept: names.filter((name) => secrets.has(name)) };
}

/** The same for what a rule denies reading. */
export async function permittedNames(
  { access, paths, deniesReading }: GitNeeds,
  names: readonly string[],
  folder: string,
): Promise<{ readonly told: readonly string[]; readonly kept: readonly string[] }> {
  // Git goes through no link on the way to a name, so the place of the folder tells those of all names.
  const real = (await access.locate(folder)).path;
  const denied = withFoldersOf(
    names.filter((name) =>
      deniesReading({ path: join(real, name), shown: paths.display(join(folder, name)), isInside: true }),
    ),
  );
  return { told: names.filter((name) => !denied.has(name)), kept: names.filter((name) => denied.has(name)) };
}

/** A path given to git means everything below it too: a name may have been a file and be a folder now. */
function withFoldersOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(
    names.flatMap((name) => {
      const parts = name.split('/');
      return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
    }),
  );
}

/** Names of commits, branches and ranges; nothing that git would take for an option or for a path inside a commit. */
export function checkedRef(ref: string): string {
  if (/^[\p{L}\p{N}_@][\p{L}\p{N}_./@{}^~+-]*$/u.test(ref)) return ref;
  throw new Error(
    `"${ref}" is no name of a commit, branch or range that git_diff takes. Write for example HEAD~1, main or main..HEAD.`,
  );
}

/** The text of a git that did what was asked. Rejects with what it said instead. */
export function textOf({ code, text, error }: GitOutput, what: string): string {
  if (code === 0) return text;
  if (/not a git repository/i.test(error)) throw new Error('The open folder is no git repository.');
  if (/dubious ownership/i.test(error))
    throw new Error(
      'git does not work here because the folder belongs to somebody else ("dubious ownership"). The person can allow it with git config safe.directory.',
    );
  if (
    /does not have any commits yet|unknown revision 'HEAD'|ambiguous argument 'HEAD'|bad revision 'HEAD'/i.test(error)
  )
    throw new Error('The repository has no commits yet.');
  throw new Error(`${what} failed: ${error.split('\n').slice(0, 3).join(' ') || `git ended with ${code}`}`);
}
