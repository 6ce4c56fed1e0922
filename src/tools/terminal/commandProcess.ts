import { type ChildProcess, execFile, spawn, type SpawnOptions } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock';
import { Emitter } from '../../base/disposable';
import { withinTime } from '../../base/pause';
import { errorMessage } from '../../base/errorMessage';
import { OutputEnds } from './outputEnds';
import type { OutputFile } from './outputFile';
import type { ProcessRow } from './processTable';
import { markerName, ProcessTree } from './processTree';
import type { ShellInvocation } from './shell';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Milliseconds for a killed command to be completely gone. */
const killTimeoutMs = 5000;
/** Milliseconds after the command's own end: its pipe may be silent for `silenceMs`, and is read for at most
 *  `drainMs`. After that, the pipe counts as held by another process. */
const silenceMs = 300;
const drainMs = 3000;

interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly ms: number;
  /** Processes that it started and that still run. */
  readonly left: readonly ProcessRow[];
  /** Reason why its output could not be stored; the command was stopped then. */
  readonly outputFailure: string | null;
}

/** Command that was started. Its output goes to its file first, then to listeners. */
export class CommandProcess {
  readonly ends = new OutputEnds();
  private readonly output = new Emitter<Uint8Array>();
  /** Emits output that is already in the file. */
  readonly onOutput = this.output.event;
  /** Resolves when the command itself has ended and its output is in the file, even if a process it started holds
   *  the pipe. Never rejects. */
  readonly ended: Promise<CommandEnd>;
  /** Resolves when no process can write to its output anymore and the file is closed. */
  readonly closed: Promise<void>;
  private lastOutputMs: number;
  private outputFailure: string | null = null;
  private endedWith: CommandEnd | null = null;
  private isGone = false;
  private stoppedByPerson = false;

  private constructor(
    child: ChildProcess,
    private readonly streams: readonly Readable[],
    readonly file: OutputFile,
    readonly tree: ProcessTree,
    private readonly clock: Clock,
    private readonly startedMs: number,
  ) {
    this.lastOutputMs = startedMs;
    const exit = new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve) =>
      child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    this.closed = Promise.all(streams.map((stream) => this.read(stream))).then(() =>
      this.file.close().catch(() => undefined),
    );
    this.ended = exit.then(({ code, signal }) => this.finish(code, signal));
  }

  /** Rejects when it cannot be started: no such program or folder. Closes the file then. */
  static async start(
    invocation: ShellInvocation,
    options: StartOptions,
    file: OutputFile,
    marker: string,
    clock: Clock,
  ): Promise<CommandProcess> {
    const startedMs = clock.monotonicMs();
    try {
      const { child, streams } = await startWithPipe(invocation, {
        ...options,
        environment: { ...options.environment, [markerName]: marker },
      });
      // The pid exists once the process was spawned.
      const tree = new ProcessTree(child.pid ?? null, marker, clock, options.platform);
      return new CommandProcess(child, streams, file, tree, clock, startedMs);
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
  }

  get end(): CommandEnd | null {
    return this.endedWith;
  }

  /** True while it runs, or while a process that it started still runs. */
  get isAlive(): boolean {
    return this.endedWith === null || (this.endedWith.left.length > 0 && !this.isGone);
  }

  get runningMs(): number {
    return this.endedWith?.ms ?? this.clock.monotonicMs() - this.startedMs;
  }

  get wasStoppedByPerson(): boolean {
    return this.stoppedByPerson;
  }

  /** Stops it for the user, like Ctrl-C in its terminal, but with SIGKILL if necessary. */
  async stopForPerson(): Promise<void> {
    this.stoppedByPerson = true;
    await this.kill();
  }

  /** Checks again if processes that it left running still run. */
  async refresh(): Promise<void> {
    if (this.endedWith === null || this.isGone) return;
    this.isGone = (await this.tree.alive()).length === 0;
    if (this.isGone) this.detach();
  }

  /** Ends it with everything it started. Resolves with the processes that could not be ended. */
  async kill(): Promise<readonly ProcessRow[]> {
    const left = await this.tree.end();
    await withinTime(this.clock, killTimeoutMs, this.ended);
    if (left.length === 0) await withinTime(this.clock, drainMs, this.closed);
    this.isGone = left.length === 0;
    this.detach();
    return left;
  }

  private async read(stream: Readable): Promise<void> {
    try {
      // Stop reading while a piece is written: a fast command waits for the disk, and nothing accumulates in memory.
      for await (const chunk of stream) await this.take(chunk);
    } catch (error) {
      if (this.outputFailure === null && !stream.destroyed) this.outputFailure = errorMessage(error);
    }
  }

  private async take(chunk: unknown): Promise<void> {
    if (!(chunk instanceof Uint8Array) || this.outputFailure !== null) return;
    try {
      const kept = await this.file.append(chunk);
      this.lastOutputMs = this.clock.monotonicMs();
      if (kept.length === 0) return;
      this.ends.add(kept);
      this.output.fire(kept);
    } catch (error) {
      // Output that cannot be stored must not be shown, so end the command.
      this.outputFailure = errorMessage(error);
      this.tree.end().catch(() => this.tree.endNow());
    }
  }

  private async finish(code: number | null, signal: NodeJS.Signals | null): Promise<CommandEnd> {
    const ms = this.clock.monotonicMs() - this.startedMs;
    await this.drain();
    const left = await this.tree.alive();
    this.endedWith = { exitCode: code, signal, ms, left, outputFailure: this.outputFailure };
    if (left.length === 0) this.detach();
    else this.closed.then(() => this.refresh()).catch(() => undefined);
    return this.endedWith;
  }

  /** Reads the output from before the command ended. Processes that it started may write forever. */
  private async drain(): Promise<void> {
    const until = this.clock.monotonicMs() + drainMs;
    this.lastOutputMs = this.clock.monotonicMs();
    for (;;) {
      if (await withinTime(this.clock, silenceMs / 3, this.closed)) return;
      const now = this.clock.monotonicMs();
      if (now - this.lastOutputMs >= silenceMs || now >= until) return;
    }
  }

  private detach(): void {
    for (const stream of this.streams) stream.destroy();
  }
}

interface StartedProcess {
  readonly child: ChildProcess;
  /** Output streams. The order of the output is kept where the platform allows it. */
  readonly streams: readonly Readable[];
}

interface StartOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly platform?: NodeJS.Platform;
}

/** Starts a process without input, with output and errors in one pipe. On Linux it is a real pipe: Node's own are
 *  sockets, which a command cannot open by name (`> /dev/stderr`, `tee /dev/stderr` fail). On other POSIX systems
 *  the shell joins the two; on Windows they stay separate. Rejects when the program cannot be started. */
async function startWithPipe(invocation: ShellInvocation, options: StartOptions): Promise<StartedProcess> {
  const platform = options.platform ?? process.platform;
  const pipe = platform === 'linux' ? await realPipe().catch(() => null) : null;
  if (pipe !== null) {
    try {
      const child = spawn(invocation.program, invocation.args, {
        ...spawnOptions(invocation, options, platform),
        stdio: ['ignore', pipe.write, pipe.write],
      });
      await started(child);
      return { child, streams: [pipe.read] };
    } catch (error) {
      pipe.read.destroy();
      throw error;
    } finally {
      closeSync(pipe.write);
    }
  }
  const { program, args } = platform === 'win32' ? invocation : joinedByShell(invocation);
  const child = spawn(program, args, {
    ...spawnOptions(invocation, options, platform),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await started(child);
  return { child, streams: [child.stdout, child.stderr].filter((stream) => stream !== null) };
}

function spawnOptions(
  invocation: ShellInvocation,
  { folder, environment }: StartOptions,
  platform: NodeJS.Platform,
): SpawnOptions {
  // Use a separate session and group, so that all of it can be signaled, and there is no terminal for a password
  // prompt.
  return {
    cwd: folder,
    env: environment,
    detached: platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: invocation.verbatim,
  };
}

function joinedByShell({ program, args }: ShellInvocation): {
  readonly program: string;
  readonly args: readonly string[];
} {
  return { program: '/bin/sh', args: ['-c', 'exec "$@" 2>&1', 'sh', program, ...args] };
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve());
    child.once('error', reject);
  });
}

/** Named pipe that is opened at both ends and then unlinked. */
async function realPipe(): Promise<{ readonly read: Socket; readonly write: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-pipe-'));
  try {
    const path = join(folder, 'pipe');
    await promisify(execFile)('mkfifo', ['-m', '600', path]);
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const write = openSync(path, constants.O_WRONLY);
      return { read: new Socket({ fd: read, readable: true, writable: false }), write };
    } catch (error) {
      closeSync(read);
      throw error;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
