import { t } from '../../base/translate';
import type { RunGitQuery } from '../../tools/knowledge/git/gitCommand';
import { readableNames, textOf } from '../../tools/knowledge/git/repository';
import type { WorkspaceRoot } from '../../tools/workspaceFiles';
import { cutTo, mostCharacters } from './attachedText';

export interface GitSource {
  readonly git: RunGitQuery;
  readonly roots: () => readonly WorkspaceRoot[];
  /** Git obeys the configuration of a repository, so it runs only in folders that the user trusts. */
  readonly isTrusted: () => boolean;
}

export interface Commit {
  readonly hash: string;
  readonly subject: string;
}

const recentCommits = 30;
const plain = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty', '--no-renames'] as const;

/** Newest commits of the open folders. Empty when git cannot run. */
export async function recentLog({ git, roots, isTrusted }: GitSource, signal: AbortSignal): Promise<readonly Commit[]> {
  if (!isTrusted()) return [];
  const logs = await Promise.all(
    roots().map(async ({ path }) => {
      const answer = await git(
        path,
        ['log', `--max-count=${recentCommits}`, '--no-show-signature', '--no-color', '--format=%h %s'],
        signal,
      ).catch(() => null);
      return answer?.code === 0 ? answer.text.split('\n').filter((line) => line !== '') : [];
    }),
  );
  return logs
    .flat()
    .map((line) => ({ hash: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }));
}

/** True when an open folder is part of a repository; false when git cannot run. */
export async function hasRepository({ git, roots, isTrusted }: GitSource, signal: AbortSignal): Promise<boolean> {
  if (!isTrusted()) return false;
  const answers = await Promise.all(
    roots().map(({ path }) => git(path, ['rev-parse', '--is-inside-work-tree'], signal).catch(() => null)),
  );
  return answers.some((answer) => answer?.code === 0 && answer.text.trim() === 'true');
}

/** Returns the status, the diff or a commit as text. Names changed files that may hold secrets, but leaves out their
 *  content. Rejects with a sentence when git fails. */
export async function gitText(source: GitSource, what: string, signal: AbortSignal): Promise<string> {
  if (!source.isTrusted())
    throw new Error(t('Git is unavailable because this folder isn’t trusted (Restricted Mode).'));
  const roots = source.roots();
  if (roots.length === 0) throw new Error(t('No folder is open.'));
  const answers = await Promise.allSettled(roots.map(({ path }) => read(source.git, path, what, signal)));
  const texts = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled'
      ? [roots.length === 1 ? answer.value : `# ${roots[index]?.name ?? ''}\n${answer.value}`]
      : [],
  );
  const failure: unknown = answers.find((answer) => answer.status === 'rejected')?.reason;
  if (texts.length === 0) throw failure instanceof Error ? failure : new Error(String(failure));
  return cutTo(texts.join('\n\n'), mostCharacters);
}

function read(git: RunGitQuery, folder: string, what: string, signal: AbortSignal): Promise<string> {
  if (what === 'status') return status(git, folder, signal);
  return what === 'diff' ? changes(git, folder, signal) : commit(git, folder, what, signal);
}

async function status(git: RunGitQuery, folder: string, signal: AbortSignal): Promise<string> {
  const text = textOf(
    await git(
      folder,
      ['status', '--short', '--branch', '--untracked-files=normal', '--ignore-submodules=dirty', '--', '.'],
      signal,
    ),
    'git status',
  ).trimEnd();
  return text.includes('\n') ? text : `${text}\nNothing is changed.`;
}

/** Diffs staged and unstaged changes against the last commit. Before the first commit, diffs only staged files,
 *  against nothing. */
async function changes(git: RunGitQuery, folder: string, signal: AbortSignal): Promise<string> {
  const head = await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD'], signal);
  return withoutSecrets(
    git,
    folder,
    ['diff', ...plain, '--relative', ...(head.code === 0 ? ['HEAD'] : ['--cached'])],
    signal,
  );
}

async function commit(git: RunGitQuery, folder: string, hash: string, signal: AbortSignal): Promise<string> {
  const message = textOf(
    await git(
      folder,
      [
        'show',
        '--no-patch',
        '--no-show-signature',
        '--no-color',
        '--date=short',
        '--format=commit %h%nAuthor: %an%nDate: %ad%n%n%B',
        hash,
      ],
      signal,
    ),
    'git show',
  ).trimEnd();
  const shown = ['show', ...plain, '--no-show-signature', '--relative', '--first-parent', '--format=', hash];
  return `${message}\n\n${await withoutSecrets(git, folder, shown, signal)}`;
}

async function withoutSecrets(
  git: RunGitQuery,
  folder: string,
  command: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const names = textOf(await git(folder, [...command, '--name-only', '-z', '--', '.'], signal), 'git')
    .split('\0')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const { readable, kept: secrets } = readableNames(names, '.');
  const kept = secrets.map((name) => `(${name} differs too. It may hold secrets and is left out.)`);
  if (readable.length === 0) return kept.length === 0 ? 'There are no differences.' : kept.join('\n');
  // A list of thousands of files may exceed the length limit of a command line.
  const answer = await git(folder, [...command, '--', ...(kept.length === 0 ? ['.'] : readable.slice(0, 500))], signal);
  return [
    textOf(answer, 'git').trim(),
    ...(answer.isCut ? ['(The difference is longer than git was let tell.)'] : []),
    ...kept,
  ].join('\n');
}
