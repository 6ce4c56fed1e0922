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

/** Milliseconds without a heartbeat after which an owner whose process cannot be seen counts as gone (it beats every
 *  15 s). */
const heartbeatTimeoutMs = 60_000;

/** The pid namespace of the machine itself, not of a container: the same number on every Linux (PROC_PID_INIT_INO). */
const machineNamespace = 'pid:[4026531836]';

/** `visible`: true when this process can see if the owner lives; otherwise only elapsed time decides. */
type OwnerVerdict = { readonly verdict: 'alive' | 'gone'; readonly visible: boolean };

/** Decides if the process that wrote a lock still lives. Returns `gone` only on proof, or after the heartbeat
 *  timeout if no proof is possible. */
export function judgeOwner(owner: ProcessIdentity, processes: ProcessTable, heartbeatAgeMs: number): OwnerVerdict {
  const self = processes.self();
  const silent = heartbeatAgeMs > heartbeatTimeoutMs ? 'gone' : 'alive';
  if (isEarlierBoot(owner, self)) return { verdict: 'gone', visible: true };
  if (owner.host !== self.host || owner.boot !== self.boot || owner.pidNamespace !== self.pidNamespace)
    return { verdict: silent, visible: false };

  const found = processes.find(owner.pid);
  if (found === undefined) return { verdict: 'gone', visible: true };
  // Without start times, a pid in use may belong to another process that got the number.
  if (owner.startedAt === null || found.startedAt === null) return { verdict: silent, visible: false };
  return { verdict: owner.startedAt === found.startedAt ? 'alive' : 'gone', visible: true };
}

/** True when the same machine (not a container on it) has been restarted since. */
function isEarlierBoot(owner: ProcessIdentity, self: ProcessIdentity): boolean {
  return (
    owner.machine !== null &&
    owner.machine === self.machine &&
    owner.host === self.host &&
    owner.pidNamespace === machineNamespace &&
    self.pidNamespace === machineNamespace &&
    owner.boot !== null &&
    self.boot !== null &&
    owner.boot !== self.boot
  );
}
