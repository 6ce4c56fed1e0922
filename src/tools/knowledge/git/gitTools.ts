import * as v from 'valibot';
import { errorMessage } from '../../../base/errorMessage';
import { type AnyTool, defineTool, type ToolOutput, failed, done } from '../../tool';
import {
  checkedRef,
  type GitDeps,
  type GitTarget,
  permittedNames,
  readableNames,
  secretReads,
  targetsOf,
  textOf,
} from './repository';

const mostCharacters = 60_000;
const usualCommits = 20;
const mostCommits = 200;
const pathSchema = v.optional(v.pipe(v.string(), v.description('File or folder. Leave it out for all.')));

/** Read-only git tools for the open folders. They fetch, write, and lock nothing. */
export function gitTools(deps: GitDeps): readonly AnyTool[] {
  return [statusTool(deps), diffTool(deps), logTool(deps)];
}

function statusTool(deps: GitDeps): AnyTool {
  return defineTool({
    name: 'git_status',
    description:
      'The branch and the changed, staged and untracked files, as `git status --short --branch` tells them ' +
      'in the open folders.',
    schema: v.object({}),
    readOnly: true,
    run: (_input, signal) =>
      each(deps, undefined, async ({ folder }) => {
        const answer = await deps.git(
          folder,
          ['status', '--short', '--branch', '--untracked-files=normal', '--ignore-submodules=dirty', '--', '.'],
          signal,
        );
        const text = textOf(answer, 'git status').trimEnd();
        return text.includes('\n') ? text : `${text}\nNothing is changed.`;
      }),
  });
}

function diffTool(deps: GitDeps): AnyTool {
  return defineTool({
    name: 'git_diff',
    description:
      'Shows differences: unstaged by default, staged with staged, against a commit, branch or range with ref. ' +
      `Unsaved changes in the editor are not in it. At most ${mostCharacters} characters: name a path where there ` +
      'are more.',
    schema: v.object({
      path: pathSchema,
      staged: v.optional(v.boolean(), false),
      ref: v.optional(
        v.pipe(
          v.string(),
          v.trim(),
          v.nonEmpty('is empty'),
          v.description('A commit, a branch, or a range such as main..HEAD.'),
        ),
      ),
    }),
    readOnly: true,
    asks: async ({ path }) => {
      const paths = await secretReads(deps, path);
      return paths.length === 0 ? null : { access: { kind: 'read', paths } };
    },
    run: ({ path, staged, ref }, signal) =>
      each(deps, path, async ({ folder, below }) => {
        const which = [...(staged ? ['--cached'] : []), ...(ref === undefined ? [] : [checkedRef(ref)])];
        const options = [
          'diff',
          '--no-ext-diff',
          '--no-textconv',
          '--no-color',
          '--ignore-submodules=dirty',
          '--relative',
          '--no-renames',
        ];
        const names = textOf(
          await deps.git(folder, [...options, '--name-only', '-z', ...which, '--', below], signal),
          'git diff',
        )
          .split('\0')
          .filter((name) => name !== '');
        const { readable: permitted, kept: denied } = await permittedNames(deps, names, folder);
        const { readable, kept: secrets } = readableNames(permitted, below);
        const kept = [
          ...denied.map((name) => `(${name} differs too. Withheld: a rule denies reading it.)`),
          ...secrets.map((name) => `(${name} differs too. It may hold secrets: ask for it by its path.)`),
        ];
        if (readable.length === 0)
          return [kept.length === 0 ? 'There are no differences.' : '', ...kept]
            .filter((line) => line !== '')
            .join('\n');
        // If nothing is withheld, pass the path itself: a list of thousands of files may be too long for a command
        // line.
        const shown = kept.length === 0 ? [below] : readable.slice(0, 500);
        const answer = await deps.git(folder, [...options, ...which, '--', ...shown], signal);
        return [
          textOf(answer, 'git diff').trimEnd(),
          ...(answer.isCut ? ['(The difference is longer than git was let tell.)'] : []),
          ...kept,
        ].join('\n');
      }),
  });
}

function logTool(deps: GitDeps): AnyTool {
  return defineTool({
    name: 'git_log',
    description:
      `Lists commits, newest first: hash, date, author, subject. Of one file or folder with path. ${usualCommits} ` +
      `unless count says otherwise, at most ${mostCommits}.`,
    schema: v.object({
      path: pathSchema,
      count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(mostCommits)), usualCommits),
    }),
    readOnly: true,
    run: ({ path, count }, signal) =>
      each(deps, path, async ({ folder, below }) => {
        const answer = await deps.git(
          folder,
          [
            'log',
            `--max-count=${count}`,
            '--no-show-signature',
            '--no-color',
            '--date=short',
            '--format=%h %ad %an: %s',
            ...(below === '.' ? [] : ['--', below]),
          ],
          signal,
        );
        const text = textOf(answer, 'git log').trimEnd();
        return text === '' ? 'There are no commits.' : text;
      }),
  });
}

/** Returns the answer of a single folder as it is. For several, puts each under its name; a folder that fails does
 *  not hide the others. */
async function each(
  deps: GitDeps,
  path: string | undefined,
  ask: (target: GitTarget) => Promise<string>,
): Promise<ToolOutput> {
  const targets = await targetsOf(deps, path);
  const [only] = targets;
  if (only !== undefined && targets.length === 1) return readable(await ask(only));
  const answers = await Promise.allSettled(targets.map(ask));
  if (answers.every(({ status }) => status === 'rejected'))
    return failed(targets.map(({ shown }, index) => `${shown}: ${failureOf(answers[index])}`).join('\n'));
  return readable(targets.map(({ shown }, index) => `## ${shown}\n${answerOf(answers[index])}`).join('\n\n'));
}

function answerOf(answer: PromiseSettledResult<string> | undefined): string {
  return answer?.status === 'fulfilled' ? answer.value : failureOf(answer);
}

function failureOf(answer: PromiseSettledResult<string> | undefined): string {
  const reason: unknown = answer?.status === 'rejected' ? answer.reason : null;
  return errorMessage(reason);
}

function readable(text: string): ToolOutput {
  return done(
    text.length > mostCharacters
      ? `${text.slice(0, mostCharacters).toWellFormed()}\n\n(The first ${mostCharacters} of ${text.length} ` +
          'characters. Name a path.)'
      : text,
  );
}
