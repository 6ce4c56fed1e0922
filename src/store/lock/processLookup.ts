import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isZombie, readProc, readStat } from '../../base/processes';
import { errnoOf } from '../engine/fileSystem';
import type { ProcessIdentity } from './lockRecord';

/** The processes that this one can see. */
export interface ProcessTable {
  self(): ProcessIdentity;
  /** Undefined when no process has this pid. `startedAt` as in `ProcessIdentity`. */
  find(pid: number): { readonly startedAt: string | null } | undefined;
}

/** The machine's own processes. Linux provides everything through /proc; macOS provides start times through `ps`;
 *  Windows only shows if a pid is in use. */
export class SystemProcessTable implements ProcessTable {
  private known: ProcessIdentity | undefined;

  constructor(private readonly platform: NodeJS.Platform = process.platform) {}

  self(): ProcessIdentity {
    this.known ??= {
      pid: process.pid,
      startedAt: this.find(process.pid)?.startedAt ?? null,
      boot: this.read('/proc/sys/kernel/random/boot_id'),
      pidNamespace: this.platform === 'linux' ? optional(() => readlinkSync('/proc/self/ns/pid')) : null,
      machine: this.read('/etc/machine-id'),
      host: hostname(),
    };
    return this.known;
  }

  find(pid: number): { readonly startedAt: string | null } | undefined {
    if (!isRunning(pid)) return undefined;
    if (this.platform === 'linux') return linuxProcess(pid);
    if (this.platform === 'darwin') {
      const began = optional(() =>
        execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim(),
      );
      return { startedAt: began === '' ? null : began };
    }
    return { startedAt: null };
  }

  private read(path: string): string | null {
    if (this.platform !== 'linux') return null;
    const text = optional(() => readFileSync(path, 'utf8').trim());
    return text === '' ? null : text;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs under another user.
    return errnoOf(error) !== 'ESRCH';
  }
}

/** Reads the start time in ticks since boot: field 22 of /proc/<pid>/stat, counted after the command name, which may
 *  contain spaces and parentheses. A zombie no longer holds files and counts as gone. */
function linuxProcess(pid: number): { readonly startedAt: string | null } | undefined {
  const text = readProc(pid, 'stat');
  if (text === null) return isRunning(pid) ? { startedAt: null } : undefined;
  const stat = readStat(text);
  return isZombie(stat) ? undefined : { startedAt: stat.fields[19] ?? null };
}

/** Reads a fact that this system may not provide; null when it does not. */
function optional<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
