import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import { AccessPaths } from '../../src/tools/accessPaths';
import type { CommandCheckpoint } from '../../src/tools/files/changes/commandCheckpoint';
import { OutputFolder } from '../../src/tools/terminal/outputFolder';
import { RunningCommands } from '../../src/tools/terminal/runningCommands';
import { chooseShell } from '../../src/tools/terminal/shell';
import type { TerminalDeps } from '../../src/tools/terminal/commandRun';
import { terminalTools } from '../../src/tools/terminal/runCommandTool';
import type { ToolCallContext, ToolOutput } from '../../src/tools/tool';
import { FolderOnDisk } from './folderOnDisk';
import { aToolCall } from './toolCalls';

/** Used when checkpoints are switched off. */
export const noCommandCheckpoint: CommandCheckpoint = {
  around: async (_call, _folder, run) => ({ value: await run(), changed: [], note: null }),
  restores: () => Promise.resolve(false),
};

/** Commands run without a sandbox. */
export const unconfined: TerminalDeps['confinement'] = {
  isRequired: false,
  hasLeftovers: false,
  state: () => Promise.resolve({ kind: 'off' }),
  confine: () => Promise.reject(new Error('there is no sandbox')),
};

/** Real commands in a folder of their own. Whatever they start carries a variable by which it is found again. */
export class TerminalWorld {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-terminal-')));
  readonly project = join(this.home, 'project');
  readonly running = new RunningCommands();
  readonly outputs = new OutputFolder(() => join(this.home, 'storage', 'outputs'), systemClock);
  readonly deps: TerminalDeps;
  readonly variable = `HERMES_TEST=${randomBytes(8).toString('hex')}`;
  private calls = 0;

  constructor(over: Partial<TerminalDeps> = {}) {
    mkdirSync(join(this.project, 'src'), { recursive: true });
    const paths = new AccessPaths(new FolderOnDisk([{ name: 'project', path: this.project }]));
    const [name = '', value = ''] = this.variable.split('=');
    this.deps = {
      shell: () => chooseShell('/bin/bash', process.platform, existsSync),
      environment: () =>
        Promise.resolve({ PATH: process.env['PATH'] ?? '', HOME: this.home, TERM: 'dumb', [name]: value }),
      resolveFolder: (written) => paths.resolveAccess(written ?? '.'),
      isReadOnly: () => false,
      checkpoint: noCommandCheckpoint,
      discards: () => ({ kind: 'nothing' }),
      confinement: unconfined,
      outputs: this.outputs,
      running: this.running,
      timeoutSeconds: () => 60,
      clock: systemClock,
      platform: process.platform,
      ...over,
    };
  }

  /** Calls a tool as the agent does. */
  async call(
    tool: string,
    input: Record<string, unknown>,
    over: Partial<ToolCallContext> = {},
    signal = new AbortController().signal,
  ): Promise<ToolOutput> {
    const bound = terminalTools(this.deps)
      .find(({ name }) => name === tool)
      ?.bind(input);
    if (bound?.kind !== 'ready') throw new Error(bound === undefined ? `no tool ${tool}` : bound.problems.join('; '));
    await bound.asks?.(signal);
    return bound.run(signal, aToolCall({ callId: `call-${++this.calls}`, ...over }));
  }

  /** Outcome and text of a command, with what differs from run to run replaced. */
  async run(command: string, more: Record<string, unknown> = {}): Promise<string> {
    return this.resultText(await this.call('run_command', { command, ...more }));
  }

  resultText({ outcome, text }: ToolOutput): string {
    return `${outcome}: ${text
      .replaceAll(this.home, '<home>')
      .replace(/\d+\.\d s\b/g, '<time>')
      .replace(/cmd-[0-9a-f]{8}/g, '<id>')
      .replace(/\(\d+\)/g, '(<pid>)')}`;
  }

  /** Pids of everything that commands of this world started and that still runs; of another world with its variable. */
  leftovers(variable = this.variable): readonly number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const isZombie = / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, ''));
          return !isZombie && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(variable) ? [Number(pid)] : [];
        } catch {
          return [];
        }
      });
  }

  /** Resolves when none is left; throws with what still runs. */
  async expectNoLeftovers(): Promise<void> {
    for (let again = 0; again < 200; again++) {
      if (this.leftovers().length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(
      `still running: ${this.leftovers()
        .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' '))
        .join('; ')}`,
    );
  }

  async dispose(): Promise<void> {
    this.running.dispose();
    await this.expectNoLeftovers().finally(() => rmSync(this.home, { recursive: true, force: true }));
  }
}
