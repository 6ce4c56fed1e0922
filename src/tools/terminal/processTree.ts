import { execFile } from 'node:child_process';
import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import { windowsProgram } from '../../base/windowsPrograms';
import { linuxProcesses, type ProcessRow, processTable, wasStartedWith } from './processTable';

/** Milliseconds for a process to end after SIGTERM, and for the system to end it after SIGKILL. */
const termTimeoutMs = 2000;
const killTimeoutMs = 2000;
const pollMs = 40;

/** Variable that marks a command's processes, including those that left its group and session. */
export const markerName = 'HERMES_COMMAND';

/** Processes of one command: its shell, everything in its group or session, all their descendants, and on Linux
 *  everything that inherited its marker. On other systems a process that leaves group and session and loses its
 *  parent is not found. */
export class ProcessTree {
  /** Processes found when ending began, by pid. Without /proc, nothing else identifies a process whose parent has
   *  ended. */
  private readonly known = new Map<number, string>();

  constructor(
    /** Leader of its group and session; null when only the marker is known. */
    private readonly leader: number | null,
    private readonly marker: string,
    private readonly clock: Clock,
    private readonly platform: NodeJS.Platform = process.platform,
  ) {}

  async alive(): Promise<readonly ProcessRow[]> {
    return this.among(await processTable(this.platform));
  }

  /** Sends SIGTERM to all processes, then SIGKILL. Resolves with the remaining processes: none, unless we may not
   *  end one. */
  async end(): Promise<readonly ProcessRow[]> {
    if (this.platform === 'win32') return this.endOnWindows();
    await this.signal('SIGTERM');
    if ((await this.waitUntilGone(termTimeoutMs)).length === 0) return [];
    await this.signal('SIGKILL');
    return this.waitUntilGone(killTimeoutMs, 'SIGKILL');
  }

  /** Kills everything at once, because the window is closing. */
  endNow(): void {
    if (this.platform === 'win32') return void this.endOnWindows();
    const rows = this.platform === 'linux' ? this.among(linuxProcesses()) : [];
    this.sendToGroup('SIGKILL');
    for (const { pid } of rows) send(pid, 'SIGKILL');
  }

  private async signal(signal: NodeJS.Signals): Promise<void> {
    const rows = await this.alive();
    for (const { pid, name } of rows) this.known.set(pid, name);
    // Signal the group in one call: this also reaches processes started between the list and the signal.
    this.sendToGroup(signal);
    for (const { pid, group } of rows) if (group !== this.leader) send(pid, signal);
  }

  /** `again`: signal for processes that appear meanwhile. */
  private async waitUntilGone(timeoutMs: number, again?: NodeJS.Signals): Promise<readonly ProcessRow[]> {
    const until = this.clock.monotonicMs() + timeoutMs;
    // A process that is becoming another program shows no environment for a moment: count it as gone after two empty
    // checks in a row.
    for (let emptyLooks = 0; ;) {
      const rows = await this.alive();
      emptyLooks = rows.length === 0 ? emptyLooks + 1 : 0;
      if (emptyLooks === 2 || this.clock.monotonicMs() >= until) return rows;
      if (again !== undefined) for (const { pid } of rows) send(pid, again);
      await pause(this.clock, pollMs);
    }
  }

  private async endOnWindows(): Promise<readonly ProcessRow[]> {
    if (this.leader !== null)
      await new Promise<void>((resolve) =>
        execFile(windowsProgram('taskkill.exe'), ['/PID', String(this.leader), '/T', '/F'], () => resolve()),
      );
    return [];
  }

  private sendToGroup(signal: NodeJS.Signals): void {
    // 0 and 1 would mean our own group, and every process.
    if (this.leader !== null && this.leader > 1) send(-this.leader, signal);
  }

  private among(rows: readonly ProcessRow[]): readonly ProcessRow[] {
    const ours = new Set<number>();
    const marked = `${markerName}=${this.marker}`;
    const others = rows.filter((row) => row.pid !== process.pid && row.pid > 1);
    for (const row of others) {
      const isMarked = this.platform === 'linux' && wasStartedWith(row.pid, marked);
      if (row.group === this.leader || row.session === this.leader || isMarked || this.known.get(row.pid) === row.name)
        ours.add(row.pid);
    }
    for (let before = -1; before !== ours.size;) {
      before = ours.size;
      for (const row of others) if (ours.has(row.parent)) ours.add(row.pid);
    }
    return others.filter(({ pid }) => ours.has(pid));
  }
}

/** Ignores a process that ended meanwhile or belongs to another user: `end` reports the remaining ones. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    return;
  }
}
