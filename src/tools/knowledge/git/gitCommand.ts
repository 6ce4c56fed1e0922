import { execFile } from 'node:child_process';
import { withoutCredentials } from '../../childEnvironment';

export interface GitOutput {
  readonly code: number;
  readonly text: string;
  readonly error: string;
  /** True when the output was longer than `maxBytes`; git was ended then. */
  readonly isCut: boolean;
}

interface GitCommandDeps {
  /** Absolute path of git when known, else "git". */
  readonly executable: () => string;
  /** Folder without programs in which git is started; the repository is passed as an argument. So no repository can
   *  substitute its own git. */
  readonly startIn: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Runs git in a folder. Rejects when git is missing or was stopped. If git refuses, resolves with its exit code and
 *  error text. */
export type RunGitQuery = (folder: string, args: readonly string[], signal: AbortSignal) => Promise<GitOutput>;

type Run = (
  folder: string,
  args: readonly string[],
  settings: readonly string[],
  signal: AbortSignal,
) => Promise<GitOutput>;

const maxBytes = 1_000_000;
const timeoutMs = 20_000;

/** Settings that would make git run programs named by a repository. These values override the repository's own. */
const harmless = (
  'core.fsmonitor=false core.hooksPath=/dev/null core.pager=cat core.editor=false core.sshCommand=false ' +
  'core.askPass= core.untrackedCache=false diff.external= diff.trustExitCode=false diff.submodule=short ' +
  'credential.helper= log.showSignature=false gpg.program=false protocol.allow=never submodule.recurse=false ' +
  'color.ui=false'
).split(' ');

/** Runs git without a terminal, pager, locks, or network, and without programs that a repository's configuration
 *  names. */
export function gitCommand({ executable, startIn, environment }: GitCommandDeps): RunGitQuery {
  const env = {
    ...Object.fromEntries(Object.entries(withoutCredentials(environment)).filter(([name]) => !/^GIT_/i.test(name))),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    LC_ALL: 'C.UTF-8',
    LANGUAGE: 'C',
  };
  const run: Run = (folder, args, settings, signal) => {
    const set = [...harmless, ...settings].flatMap((setting) => ['-c', setting]);
    const all = ['--no-pager', '--literal-pathspecs', '-C', folder, ...set, ...args];
    return output(executable(), all, { cwd: startIn, env }, signal);
  };
  return async (folder, args, signal) => {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const inside = await run(folder, ['rev-parse', '--is-inside-work-tree'], [], timeout);
      if (inside.code !== 0) return inside;
      // core.worktree may name any folder of the machine.
      if (inside.text.trim() !== 'true')
        throw new Error('The open folder is not the working tree of its repository, so git is not asked.');
      return await run(folder, args, await withoutFilters(folder, run, timeout), timeout);
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted)
        throw new Error(`git took longer than ${timeoutMs / 1000} seconds and was ended.`, { cause: error });
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        throw new Error('git is not installed on this machine, or not on its PATH.', { cause: error });
      throw error;
    }
  };
}

/** Turns off filters of the repository's own configuration, because filters (such as Git LFS) are programs too.
 *  Filters that the user configured for every repository stay. */
async function withoutFilters(folder: string, run: Run, signal: AbortSignal): Promise<readonly string[]> {
  const filters = String.raw`^filter\..*\.(clean|smudge|process|required)$`;
  const config = ['config', '--show-scope', '--null', '--name-only', '--get-regexp', filters];
  const { code, text, error } = await run(folder, config, [], signal);
  // Exit code 1 means that there are none. With any other failure, it is unknown what the repository would run.
  if (code === 1) return [];
  if (code !== 0)
    throw new Error(
      `git could not tell its settings, so it is not asked further: ${error.split('\n')[0] ?? ''} (git 2.26 or ` +
        'later is needed)',
    );
  const fields = text.split('\0');
  const own = fields.flatMap((field, index) =>
    index % 2 === 0 && (field === 'local' || field === 'worktree') ? [fields[index + 1] ?? ''] : [],
  );
  if (own.some((name) => name.includes('=')))
    throw new Error('The repository names a filter in a way that cannot be set aside, so git is not asked.');
  return [...new Set(own)].map((name) => (name.endsWith('.required') ? `${name}=false` : `${name}=`));
}

function output(
  executable: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  signal: AbortSignal,
): Promise<GitOutput> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const settings = { ...options, encoding: 'buffer', maxBuffer: maxBytes, windowsHide: true, signal } as const;
    const child = execFile(executable, [...args], settings, (ending, text, error) => {
      const isCut = ending?.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
      if (ending !== null && !isCut && typeof ending.code === 'string') return reject(ending);
      const code = ending === null || isCut ? 0 : Number(ending.code ?? -1);
      resolve({ code, text: text.toString('utf8'), error: error.toString('utf8').trim(), isCut });
    });
    child.stdin?.end();
  });
}
