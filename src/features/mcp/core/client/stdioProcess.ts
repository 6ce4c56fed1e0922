import type { ChildProcess } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/client';
import spawn from 'cross-spawn';
import { t } from '../../../../base/translate';
import { programOnPath, windowsProgram } from '../../../../base/windowsPrograms';
import type { McpLaunch } from '../mcpConnection';

/** Milliseconds for a server to end after its input closes, and again after SIGTERM. */
const graceMs = 1000;
/** Milliseconds to wait for remaining output after the process ended: a child may still hold its output open. */
const drainMs = 300;
const longestMessage = 64 * 1024 * 1024;
const longestLine = 4000;

/** Runs a server as a child process in its own process group. Servers are often started through `npx`, `uvx`, or a
 *  shell; ending only that program would leave the real server running. */
export class StdioProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private child: ChildProcess | null = null;
  private readonly buffer = new ReadBuffer({ maxBufferSize: longestMessage });
  private hasRead = false;
  private ended: Promise<void> = Promise.resolve();
  /** Ending of the process: "with exit code 1", "by SIGKILL". Null while it runs. */
  ending: string | null = null;

  constructor(
    private readonly launch: McpLaunch & { readonly kind: 'stdio' },
    private readonly onLogLine: (line: string) => void,
  ) {}

  /** Rejects when the program cannot be started. */
  start(): Promise<void> {
    const { command, args, environment, folder } = this.launch;
    const child = spawn(programOf(command, environment), [...args], {
      env: { ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      detached: process.platform !== 'win32',
      ...(folder === null ? {} : { cwd: folder }),
    });
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.ending =
          signal === null ? t('with exit code {code}', { code: String(code) }) : t('by {signal}', { signal });
        // End everything that the server started.
        this.signalGroup('SIGTERM');
        const timer = setTimeout(finish, drainMs);
        child.once('close', finish);
        function finish(): void {
          clearTimeout(timer);
          resolve();
        }
      });
    });
    this.ended.then(() => this.closed()).catch((error: Error) => this.onerror?.(error));
    child.stdout?.on('data', (data: Buffer) => this.read(data));
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream?.on('error', (error) => this.onerror?.(error));
    readLines(child.stderr, this.onLogLine);
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const input = this.child?.stdin;
      if (input === null || input === undefined || !input.writable || this.ending !== null)
        return reject(new Error('The server is not running.'));
      input.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Closes its input, sends SIGTERM, then SIGKILL, to the whole group. The protocol prescribes these steps. */
  async close(): Promise<void> {
    if (this.child === null || this.child.pid === undefined) return this.closed();
    this.child.stdin?.end();
    if (!(await this.endsWithin(graceMs))) {
      this.signalGroup('SIGTERM');
      await this.endsWithin(graceMs);
    }
    this.kill();
    await this.endsWithin(graceMs);
  }

  kill(): void {
    this.signalGroup('SIGKILL');
  }

  private read(data: Buffer): void {
    try {
      this.buffer.append(this.hasRead ? data : withoutMark(data));
      this.hasRead = true;
    } catch (error) {
      this.onerror?.(asError(error));
      return this.kill();
    }
    for (;;) {
      try {
        const message = this.buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // An invalid line costs only itself.
        this.onerror?.(asError(error));
      }
    }
  }

  private closed(): void {
    this.buffer.clear();
    const listener = this.onclose;
    delete this.onclose;
    listener?.();
  }

  private async endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
    return Promise.race([this.ended.then(() => true as const), late]).finally(() => clearTimeout(timer));
  }

  private signalGroup(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.child?.pid;
    if (pid === undefined) return;
    if (process.platform === 'win32') {
      // Windows has no process groups: the tree can only be found while its root runs.
      if (this.ending === null)
        spawnSync(windowsProgram('taskkill.exe'), ['/pid', String(pid), '/T', '/F'], { windowsHide: true });
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch (error) {
      // ESRCH: the group is already empty, which is the goal.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) this.onerror?.(asError(error));
    }
  }
}

function readLines(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  let partial = '';
  const emit = (line: string): void => (line.trim() === '' ? undefined : onLine(line.slice(0, longestLine)));
  stream?.setEncoding('utf8');
  stream?.on('data', (text: string) => {
    const lines = (partial + text).split(/\r?\n/);
    partial = (lines.pop() ?? '').slice(0, longestLine);
    lines.forEach(emit);
  });
  stream?.on('end', () => emit(partial));
}

/** Some servers begin with a byte order mark. */
function withoutMark(data: Buffer): Buffer {
  return data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf ? data.subarray(3) : data;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** On Windows, the program with its folder: by its name alone, one in the folder of the server would run. */
function programOf(command: string, environment: Readonly<Record<string, string>>): string {
  if (process.platform !== 'win32') return command;
  const found = programOnPath(command, environment, existsSync);
  if (found === null) throw Object.assign(new Error(`${command} was not found on the PATH.`), { code: 'ENOENT' });
  return found;
}
