import { execFile, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { ShellInvocation } from './shell';

interface StartedProcess {
  readonly child: ChildProcess;
  /** Output streams. The order of the output is kept where the platform allows it. */
  readonly streams: readonly Readable[];
}

export interface StartOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly platform?: NodeJS.Platform;
}

/** Starts a process without input, with output and errors in one pipe. On Linux it is a real pipe: Node's own are
 *  sockets, which a command cannot open by name (`> /dev/stderr`, `tee /dev/stderr` fail). On other POSIX systems
 *  the shell joins the two; on Windows they stay separate. Rejects when the program cannot be started. */
export async function startWithPipe(invocation: ShellInvocation, options: StartOptions): Promise<StartedProcess> {
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
