import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { allProcesses, descendantsOf, environmentOf, memoryOf } from '../../test/support/processTree';

const width = 120;
const height = 50;

export interface TerminalOrder {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A program in a terminal emulator of its own (tmux), whose screen can be read also after the program is gone. */
export class Terminal {
  private readonly socket = `hermes-peers-${randomBytes(4).toString('hex')}`;
  private readonly home: string;

  constructor({ command, cwd, env }: TerminalOrder) {
    this.home = env['HOME'] ?? '';
    if (this.home === '') throw new Error('A program in a terminal needs a home of its own');
    const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    // The screen stays when its program ends.
    this.tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-s',
      'peer',
      '-x',
      String(width),
      '-y',
      String(height),
      'sleep 86400',
    );
    this.tmux('set-option', '-g', 'remain-on-exit', 'on');
    this.tmux('set-option', '-g', 'history-limit', '10000');
    this.tmux('new-window', '-t', 'peer:1', '-c', cwd, 'env', '-i', ...assignments, ...command);
  }

  static get isThere(): boolean {
    return spawnSync('tmux', ['-V']).status === 0;
  }

  /** What the screen shows, with what scrolled out above it. */
  screen(): string {
    return this.tmux('capture-pane', '-p', '-J', '-S', '-', '-t', 'peer:1');
  }

  type(text: string): void {
    this.tmux('send-keys', '-t', 'peer:1', '-l', text);
  }

  /** A key by its name, such as Enter or Escape. */
  press(key: string): void {
    this.tmux('send-keys', '-t', 'peer:1', key);
  }

  /** kill -9 of the program and all its children, the program first, then of what it started apart from itself: all
   *  that has its home. */
  kill(): void {
    for (const pid of this.processes()) signal(pid);
  }

  /** Resident memory of the same processes in bytes. Pages that they share are counted in each. */
  memory(): number {
    return this.processes().reduce((sum, pid) => sum + memoryOf(pid), 0);
  }

  private processes(): readonly number[] {
    const pid = Number(this.tmux('display-message', '-p', '-t', 'peer:1', '#{pane_pid}'));
    const atHome = allProcesses().filter((each) => environmentOf(each).includes(`HOME=${this.home}`));
    return [...new Set([pid, ...descendantsOf(pid), ...atHome])];
  }

  close(): void {
    this.kill();
    spawnSync('tmux', ['-L', this.socket, 'kill-server']);
  }

  private tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.socket, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return; // it ended meanwhile
  }
}
