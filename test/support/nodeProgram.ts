import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Bundles a TypeScript program so that plain Node can run it. Returns the path of the bundle, made in `folder`. */
export async function bundleProgram(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, `${entry.replace(/^.*[\\/]/, '').replace(/\.ts$/, '')}.cjs`);
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
  return outfile;
}

/** A child process whose lines of output can be awaited. */
export class NodeProgram {
  readonly lines: string[] = [];
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;
  private partial = '';
  private errors = '';

  /** `uid` runs it as another person, which only root may. */
  constructor(program: string, args: readonly string[], options: { readonly uid?: number } = {}) {
    this.child = spawn(process.execPath, [program, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => this.onText(text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    this.ended = once(this.child, 'close');
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the program did not start');
    return this.child.pid;
  }

  /** Ends it as a crash would, and waits until it is gone. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Waits for its own end. Throws with what it complained about when it failed. */
  async finish(): Promise<readonly string[]> {
    await this.ended;
    if (this.child.exitCode !== 0)
      throw new Error(`the program ended with ${this.child.exitCode ?? this.child.signalCode}: ${this.errors}`);
    return this.lines;
  }

  /** Resolves with the first line that begins so, printed before or after the call. Throws when the program ends without one. */
  async line(prefix: string): Promise<string> {
    for (;;) {
      const found = this.lines.find((line) => line.startsWith(prefix));
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`no line '${prefix}' came: ${this.errors}`);
      await Promise.race([once(this.child.stdout ?? this.child, 'data'), this.ended]);
    }
  }

  private onText(text: string): void {
    const parts = (this.partial + text).split('\n');
    this.partial = parts.pop() ?? '';
    this.lines.push(...parts);
  }
}
