import { withoutCredentials } from '../../childEnvironment';
import { spawn } from 'node:child_process';
import { NotWatched } from './snapshot';

interface GitCall {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Milliseconds. Then Git is killed. */
  readonly timeoutMs: number;
  /** Folder to start Git in. Never a folder of the user, because Windows searches it for programs first. */
  readonly startIn: string;
}

/** Runs Git and returns its output. Rejects with `NotWatched` when Git cannot start, fails, or takes too long. */
export type RunGit = (call: GitCall) => Promise<Buffer>;

/** Turns off settings that make Git run a program of the repository, start a service, ask for input, or convert what
 *  it reads. */
const quiet = (
  'core.fsmonitor=false core.untrackedCache=false core.splitIndex=false core.autocrlf=false core.safecrlf=false ' +
  'core.hooksPath=/dev/null gc.auto=0 maintenance.auto=false index.sparse=false core.quotePath=false'
)
  .split(' ')
  .flatMap((setting) => ['-c', setting]);

export const runGit: RunGit = ({ args, env = {}, input, timeoutMs, startIn }) =>
  new Promise((resolve, reject) => {
    const inherited = Object.fromEntries(
      Object.entries(withoutCredentials(process.env)).filter(([name]) => !name.toUpperCase().startsWith('GIT_')),
    );
    const child = spawn('git', [...quiet, ...args], {
      cwd: startIn,
      windowsHide: true,
      stdio: 'pipe',
      env: { ...inherited, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', ...env },
    });
    const out: Buffer[] = [];
    let errorText = '';
    const timer = setTimeout(
      () => {
        child.kill('SIGKILL');
        reject(new NotWatched('looking at the folder takes too long'));
      },
      Math.max(1, timeoutMs),
    );
    const fail = (why: string): void => {
      clearTimeout(timer);
      reject(new NotWatched(why));
    };
    child.stdout.on('data', (data: Buffer) => out.push(data));
    child.stderr.on('data', (data: Buffer) => (errorText = (errorText + data.toString()).slice(-500)));
    child.stdin.on('error', () => undefined);
    child.on('error', () => fail('Git could not be started'));
    child.on('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(Buffer.concat(out));
      else fail(`Git failed: ${errorText.trim().split('\n').at(-1) ?? ''}`);
    });
    child.stdin.end(input);
  });
