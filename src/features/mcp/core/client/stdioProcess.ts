import { existsSync } from 'node:fs';
import { type JSONRPCMessage, type Transport, ReadBuffer, serializeMessage } from '@modelcontextprotocol/client';
import { systemClock } from '../../../../base/clock';
import { withinTime } from '../../../../base/pause';
import { programOnPath } from '../../../../base/windowsPrograms';
import { PipedProcess } from '../../../../tools/terminal/pipedProcess';
import type { McpLaunch } from '../mcpConnection';

/** Milliseconds for a server to end after its input closes, and for its last output once it is killed. */
const graceMs = 1000;
const longestMessage = 64 * 1024 * 1024;
const longestLine = 4000;

/** Runs a server as a child process, and reads its messages. */
export class StdioProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private starting: Promise<PipedProcess> | null = null;
  private process: PipedProcess | null = null;
  private readonly buffer = new ReadBuffer({ maxBufferSize: longestMessage });
  private hasRead = false;
  /** Begun line of its log. */
  private partial = '';

  constructor(
    private readonly launch: McpLaunch & { readonly kind: 'stdio' },
    private readonly onLogLine: (line: string) => void,
  ) {}

  /** Ending of the process: "with exit code 1", "by SIGKILL". Null while it runs. */
  get ending(): string | null {
    return this.process?.ending ?? null;
  }

  /** Rejects when the program cannot be started. */
  async start(): Promise<void> {
    const { launch } = this;
    this.starting = PipedProcess.start(
      { ...launch, command: programOf(launch.command, launch.environment) },
      {
        clock: systemClock,
        // A server may start programs that are to outlive it.
        marker: null,
        graceMs,
        onOutput: (data) => this.read(data),
        onErrorText: (text) => this.log(text),
        onExit: () => {
          this.log('\n');
          // End everything that the server started.
          this.process?.end().catch(() => undefined);
          this.closed();
        },
      },
    );
    this.process = await this.starting;
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.process?.write(serializeMessage(message)) ?? Promise.reject(new Error('The server is not running.'));
  }

  /** Closes its input, sends SIGTERM, then SIGKILL, to the whole group. The protocol prescribes these steps. */
  async close(): Promise<void> {
    const started = await this.starting?.catch(() => null);
    await started?.end();
    if (started) await withinTime(systemClock, graceMs, started.exited);
    this.closed();
  }

  kill(): void {
    this.process?.endNow();
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

  private log(text: string): void {
    const lines = (this.partial + text).split(/\r?\n/);
    this.partial = (lines.pop() ?? '').slice(0, longestLine);
    for (const line of lines) if (line.trim() !== '') this.onLogLine(line.slice(0, longestLine));
  }

  private closed(): void {
    this.buffer.clear();
    const listener = this.onclose;
    delete this.onclose;
    listener?.();
  }
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
