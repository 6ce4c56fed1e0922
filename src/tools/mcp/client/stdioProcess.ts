import type { ChildProcess } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/client';
import spawn from 'cross-spawn';
import type { McpLaunch } from '../mcpConnection';

/** How long a server may take to end by itself when its input is closed, and again when it is asked to. */
const graceMs = 1000;
/** A process that has ended may leave its output open in the hands of a child; the rest of it is waited for so long. */
const drainMs = 300;
const longestMessage = 64 * 1024 * 1024;
const longestLine = 4000;

/** A server as a process of ours, in a process group of its own: servers are often started through `npx`, `uvx` or a shell, and ending that
 *  program alone would leave the real server behind. */
export class StdioProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private child: ChildProcess | null = null;
  private readonly buffer = new ReadBuffer({ maxBufferSize: longestMessage });
  private ended: Promise<void> = Promise.resolve();
  /** How the process ended: "with exit code 1", "by SIGKILL"; null while it runs. */
  ending: string | null = null;

  constructor(
    private readonly launch: McpLaunch & { readonly kind: 'stdio' },
    private readonly onLogLine: (line: string) => void,
  ) {}

  /** Rejects when the program cannot be started. */
  start(): Promise<void> {
    const { command, args, environment, folder } = this.launch;
    const child = spawn(command, [...args], {
      env: { ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      detached: process.platform !== 'win32',
      ...(folder === null ? {} : { cwd: folder }),
    });
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.ending = signal === null ? `with exit code ${code}` : `by ${signal}`;
        // What the server started must not outlive it.
        this.signalGroup('SIGTERM');
        const timer = setTimeout(finish, drainMs);
        child.once('close', finish);
        function finish(): void {
          clearTimeout(timer);
          resolve();
        }
      });
    });
    void this.ended.then(() => this.closed());
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

  /** Closes its input, asks it to end, and ends it: the steps the protocol describes, for the whole group. */
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
      this.buffer.append(data);
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
        // A line that is no message costs itself alone.
        this.onerror?.(asError(error));
      }
    }
  }

  private closed(): void {
    this.buffer.clear();
    const told = this.onclose;
    delete this.onclose;
    told?.();
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
      // Windows has no groups: the tree can only be found while its root lives.
      if (this.ending === null) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true });
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch (error) {
      // ESRCH: nobody is left in the group, which is what was wanted.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) this.onerror?.(asError(error));
    }
  }
}

function readLines(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  let rest = '';
  const say = (line: string): void => (line.trim() === '' ? undefined : onLine(line.slice(0, longestLine)));
  stream?.setEncoding('utf8');
  stream?.on('data', (text: string) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = (lines.pop() ?? '').slice(0, longestLine);
    lines.forEach(say);
  });
  stream?.on('end', () => say(rest));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
