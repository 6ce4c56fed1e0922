import type { ChildProcess } from 'node:child_process';
import spawn from 'cross-spawn';
import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import { t } from '../../base/translate';
import { markerName, ProcessTree } from './processTree';

/** Milliseconds to wait for the rest of the output of a program that ended: a child may still hold it open. */
const drainMs = 300;
const keptErrorText = 4000;

export interface PipedLaunch {
  readonly command: string;
  readonly args: readonly string[];
  /** Complete environment: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null: the folder of this process. */
  readonly folder: string | null;
}

interface PipedOptions {
  readonly clock: Clock;
  /** Marks everything that it starts, also what leaves its group. Null: only its group and descendants are known. */
  readonly marker: string | null;
  /** Milliseconds for it to end after its input closes. */
  readonly graceMs: number;
  readonly onOutput: (bytes: Buffer) => void;
  readonly onErrorText: (text: string) => void;
  /** Called once, after its last output. `how`: "with exit code 1". */
  readonly onExit: (how: string) => void;
}

/** A program with pipes to its input and output, in its own process group. Programs are often started through `npx`,
 *  `uvx`, or a shell: ending only the first process would leave the real one running. */
export class PipedProcess {
  /** Resolves after `onExit`. */
  readonly exited: Promise<void>;
  private readonly tree: ProcessTree;
  private errors = '';
  private how: string | null = null;

  private constructor(
    private readonly child: ChildProcess,
    private readonly options: PipedOptions,
  ) {
    const { clock, marker, onOutput, onErrorText, onExit } = options;
    this.tree = new ProcessTree(child.pid ?? null, marker ?? '', clock);
    child.stdout?.on('data', onOutput);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors = (this.errors + text).slice(-keptErrorText);
      onErrorText(text);
    });
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        const how = signal === null ? t('with exit code {code}', { code: String(code) }) : t('by {signal}', { signal });
        this.how = how;
        const drained = new Promise<void>((done) => {
          const cancel = clock.after(drainMs, done);
          child.once('close', () => (cancel(), done()));
        });
        drained.then(() => onExit(how)).then(resolve, resolve);
      });
    });
  }

  /** Rejects when the program cannot be started. */
  static start({ command, args, environment, folder }: PipedLaunch, options: PipedOptions): Promise<PipedProcess> {
    const child = spawn(command, [...args], {
      env: { ...environment, ...(options.marker === null ? {} : { [markerName]: options.marker }) },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      detached: process.platform !== 'win32',
      ...(folder === null ? {} : { cwd: folder }),
    });
    // A pipe that breaks is reported by the exit.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(new PipedProcess(child, options)));
    });
  }

  /** "with exit code 1", "by SIGKILL". Null while it runs. */
  get ending(): string | null {
    return this.how;
  }

  /** End of what it wrote to its error output. */
  get errorText(): string {
    return this.errors.trim();
  }

  /** Resolves when the text is in the pipe. Rejects when the program takes nothing more. */
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const input = this.child.stdin;
      if (input === null || !input.writable || this.how !== null)
        return reject(new Error('The program is not running.'));
      input.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
    });
  }

  /** Stops reading its output for a while: nothing is lost, the program waits. */
  setReading(isReading: boolean): void {
    if (isReading) this.child.stdout?.resume();
    else this.child.stdout?.pause();
  }

  /** Closes its input, waits, then ends everything it started. */
  async end(): Promise<void> {
    const { clock, graceMs } = this.options;
    this.setReading(true);
    this.child.stdin?.end();
    if (this.how === null) await Promise.race([this.exited, pause(clock, graceMs)]);
    if (this.hasTree) await this.tree.end();
  }

  /** Kills everything at once. */
  endNow(): void {
    if (this.hasTree) this.tree.endNow();
  }

  /** Windows has no process groups: the tree can only be found while its root runs. */
  private get hasTree(): boolean {
    return process.platform !== 'win32' || this.how === null;
  }
}
