import type { ChildProcess } from 'node:child_process';
import spawn from 'cross-spawn';
import type { Clock } from '../../../base/clock';
import { pause } from '../../../base/pause';
import { t } from '../../../base/translate';
import { markerOf } from '../../../tools/terminal/orphanedCommands';
import { markerName, ProcessTree } from '../../../tools/terminal/processTree';
import { LineReader, type ReadLine } from './lineReader';

/** How an agent is started. */
export interface AgentLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

interface ProcessEvents {
  readonly onLine: (line: ReadLine) => void;
  /** Called once, after its last line. `how`: "with exit code 1". */
  readonly onExit: (how: string) => void;
  readonly onErrorText: (text: string) => void;
}

/** Milliseconds for an agent to end after its input closes. */
const graceMs = 2000;
/** Milliseconds to wait for the rest of the output of an agent that ended: a child may still hold it open. */
const drainMs = 300;
const keptErrorText = 4000;

/** An agent's process, in its own group. Everything it starts has a marker in its environment, so that nothing is left
 *  of it after `end`, and at the next start after a crash of ours (`endOrphanedCommands`). */
export class AgentProcess {
  private readonly tree: ProcessTree;
  private readonly exited: Promise<void>;
  private hasExited = false;
  private errors = '';

  private constructor(
    private readonly child: ChildProcess,
    marker: string,
    events: ProcessEvents,
    private readonly clock: Clock,
  ) {
    this.tree = new ProcessTree(child.pid ?? null, marker, clock);
    const reader = new LineReader(events.onLine);
    child.stdout?.on('data', (bytes: Buffer) => reader.push(bytes));
    child.stderr?.on('data', (bytes: Buffer) => {
      const text = bytes.toString('utf8');
      this.errors = (this.errors + text).slice(-keptErrorText);
      events.onErrorText(text);
    });
    // A pipe that breaks is reported by the exit.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.hasExited = true;
        let isReported = false;
        const report = (): void => {
          if (isReported) return;
          isReported = true;
          events.onExit(
            signal === null ? t('with exit code {code}', { code: String(code) }) : t('by {signal}', { signal }),
          );
          resolve();
        };
        clock.after(drainMs, report);
        child.once('close', report);
      });
    });
  }

  /** Rejects when the program cannot be started. `id`: part of the marker. */
  static start(launch: AgentLaunch, id: string, events: ProcessEvents, clock: Clock): Promise<AgentProcess> {
    const marker = markerOf(process.pid, `cmd-agent-${id}`);
    const child = spawn(launch.command, [...launch.args], {
      cwd: launch.folder,
      env: { ...launch.environment, [markerName]: marker },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      detached: process.platform !== 'win32',
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(new AgentProcess(child, marker, events, clock)));
    });
  }

  get isRunning(): boolean {
    return !this.hasExited;
  }

  /** End of what it wrote to its error output. */
  get errorText(): string {
    return this.errors.trim();
  }

  /** Resolves when the line is in the pipe. Rejects when the agent takes nothing more. */
  write(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const input = this.child.stdin;
      if (input === null || !input.writable || this.hasExited) return reject(new Error('The agent is not running.'));
      input.write(`${line}\n`, (error) => (error === null || error === undefined ? resolve() : reject(error)));
    });
  }

  /** Stops reading its output for a while: nothing is lost, the agent waits. */
  setReading(isReading: boolean): void {
    if (isReading) this.child.stdout?.resume();
    else this.child.stdout?.pause();
  }

  /** Closes its input, waits, then ends everything it started. */
  async end(): Promise<void> {
    this.setReading(true);
    this.child.stdin?.end();
    if (!this.hasExited) await Promise.race([this.exited, pause(this.clock, graceMs)]);
    await this.tree.end();
  }

  /** Kills everything at once, because the window is closing. */
  endNow(): void {
    this.tree.endNow();
  }
}
