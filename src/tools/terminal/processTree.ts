import { execFile } from 'node:child_process';
import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import { linuxProcesses, type ProcessRow, processTable, wasStartedWith } from './processTable';

/** How long a process has to end by itself after it was asked to, and how long the system has to end it. */
const termPatienceMs = 2000;
const killPatienceMs = 2000;
const pollMs = 40;

/** The variable by which a command's processes know each other, also those that left its group and session. */
export const markerName = 'HERMES_COMMAND';

/** The processes of one command: its shell, everything in its group or session, everything that descends from those, and on Linux everything
 *  that inherited its marker. On other systems a process that leaves group and session and loses its parent is not found. */
export class ProcessTree {
  /** What was there when the end began, by pid: without /proc, a process whose parent has ended is told by nothing else. */
  private readonly known = new Map<number, string>();

  constructor(
    /** Of its group and session; null where only the marker is known. */
    private readonly leader: number | null,
    private readonly marker: string,
    private readonly clock: Clock,
    private readonly platform: NodeJS.Platform = process.platform,
  ) {}

  async alive(): Promise<readonly ProcessRow[]> {
    return this.among(await processTable(this.platform));
  }

  /** Asks all of it to end, then ends it. Resolves with what is still there, which is nothing unless a process is not ours to end. */
  async end(): Promise<readonly ProcessRow[]> {
    if (this.platform === 'win32') return this.endOnWindows();
    await this.signal('SIGTERM');
    if ((await this.waitUntilGone(termPatienceMs)).length === 0) return [];
    await this.signal('SIGKILL');
    return this.waitUntilGone(killPatienceMs, 'SIGKILL');
  }

  /** At once and without a word, because the window closes. */
  endNow(): void {
    if (this.platform === 'win32') return void this.endOnWindows();
    const rows = this.platform === 'linux' ? this.among(linuxProcesses()) : [];
    this.sendToGroup('SIGKILL');
    for (const { pid } of rows) send(pid, 'SIGKILL');
  }

  private async signal(signal: NodeJS.Signals): Promise<void> {
    const rows = await this.alive();
    for (const { pid, name } of rows) this.known.set(pid, name);
    // The group in one call: what it starts between the list and the signal is met too.
    this.sendToGroup(signal);
    for (const { pid, group } of rows) if (group !== this.leader) send(pid, signal);
  }

  /** `again`: what appears meanwhile gets this signal too. */
  private async waitUntilGone(patienceMs: number, again?: NodeJS.Signals): Promise<readonly ProcessRow[]> {
    const until = this.clock.monotonicMs() + patienceMs;
    // A process that is just becoming another program shows no environment for a moment: gone is what two looks in a row do not find.
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
        execFile('taskkill', ['/PID', String(this.leader), '/T', '/F'], () => resolve()),
      );
    return [];
  }

  private sendToGroup(signal: NodeJS.Signals): void {
    // 0 and 1 would mean our own group, and everybody.
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

/** A process that ended meanwhile, or belongs to somebody else, is not an error here: `end` reports what is left. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    return;
  }
}
