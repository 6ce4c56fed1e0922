import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { errorMessage } from '../../base/errorMessage';
import { ProcessTree, markerName } from './processTree';
import type { Shell } from './shell';

const timeoutMs = 5000;
const largestAnswer = 4 * 1024 * 1024;

export type Environment = Readonly<Record<string, string>>;

interface LoginEnvironmentDeps {
  /** Program that runs this process. With ELECTRON_RUN_AS_NODE it acts as Node everywhere. */
  readonly node: string;
  readonly own: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly platform?: NodeJS.Platform;
}

/** Environment of a terminal of the user (their nvm, pyenv, PATH). Read once from the user's shell, started as a
 *  login and interactive shell. A shell that does not answer in 5 s only loses its additions. On Windows nothing is
 *  read. */
export class LoginEnvironment {
  private asked: { readonly shell: string; readonly environment: Promise<Environment> } | null = null;

  constructor(private readonly deps: LoginEnvironmentDeps) {}

  of(shell: Pick<Shell, 'path'>): Promise<Environment> {
    if ((this.deps.platform ?? process.platform) === 'win32') return Promise.resolve(this.deps.own);
    if (this.asked?.shell !== shell.path) this.asked = { shell: shell.path, environment: this.ask(shell.path) };
    return this.asked.environment;
  }

  private async ask(shell: string): Promise<Environment> {
    const { own, log } = this.deps;
    try {
      return await this.resolve(shell);
    } catch (error) {
      log.warn(`The environment of ${shell} could not be read, so commands get the editor's: ${errorMessage(error)}`);
      return own;
    }
  }

  private resolve(shell: string): Promise<Environment> {
    const { node, own, clock } = this.deps;
    const mark = randomUUID().replaceAll('-', '');
    // Not the mark itself, which would then appear in the answer too.
    const marker = `login-${randomUUID()}`;
    const script = `'${node.replaceAll("'", "'\\''")}' -p '"${mark}" + JSON.stringify(process.env) + "${mark}"'`;
    return new Promise((resolve, reject) => {
      // The editor sets VSCODE_RESOLVING_ENVIRONMENT for the same purpose, and users' startup files know it.
      const env = {
        ...own,
        ELECTRON_RUN_AS_NODE: '1',
        ELECTRON_NO_ATTACH_CONSOLE: '1',
        VSCODE_RESOLVING_ENVIRONMENT: '1',
        [markerName]: marker,
      };
      const child = spawn(shell, [...loginFlags(shell), script], {
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
        env,
      });
      const tree = new ProcessTree(child.pid ?? null, marker, clock);
      const cancel = clock.after(timeoutMs, () =>
        finish(() => reject(new Error(`it did not answer in ${timeoutMs / 1000} s`))),
      );
      function finish(outcome: () => void): void {
        cancel();
        child.stdout.destroy();
        if (child.pid !== undefined) tree.end().catch(() => tree.endNow());
        outcome();
      }
      let answer = '';
      child.once('error', (error) => finish(() => reject(error)));
      child.once('exit', (code) =>
        clock.after(200, () => finish(() => reject(new Error(`it ended with ${code ?? 'a signal'}`)))),
      );
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        answer = (answer + text).slice(-largestAnswer);
        const parsed = readAnswer(answer, mark);
        if (parsed !== null) finish(() => resolve(restored(parsed, own)));
      });
    });
  }
}

const environmentSchema = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

/** Parses the text between the marks, whatever startup files print around it. */
function readAnswer(text: string, mark: string): Environment | null {
  const [, between, after] = text.split(mark);
  if (between === undefined || after === undefined) return null;
  const parsed = v.safeParse(environmentSchema, between);
  return parsed.success ? parsed.output : null;
}

/** Removes the variables that were set for this query. */
function restored(environment: Environment, own: Environment): Environment {
  const asked = new Set([
    'ELECTRON_RUN_AS_NODE',
    'ELECTRON_NO_ATTACH_CONSOLE',
    'VSCODE_RESOLVING_ENVIRONMENT',
    markerName,
  ]);
  const kept = Object.entries(environment).filter(([name]) => !asked.has(name));
  const back = [...asked].flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]] as const]));
  return Object.fromEntries([...kept, ...back]);
}

function loginFlags(shell: string): readonly string[] {
  // csh accepts -l alone or not at all.
  return /(?:^|\/)t?csh$/.test(shell) ? ['-ic'] : ['-i', '-l', '-c'];
}
