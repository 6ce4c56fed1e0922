import { execFile } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { isZombie, readProc, readStat } from '../../base/processes';

/** Row of the process list. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly name: string;
}

/** Every process that is not a zombie. Without /proc it runs `ps`, which does not report sessions: `session` is then
 *  the group. */
export async function processTable(platform: NodeJS.Platform = process.platform): Promise<readonly ProcessRow[]> {
  if (platform === 'win32') return [];
  return platform === 'linux' ? linuxProcesses() : listedByPs();
}

/** Synchronous version, for a window that is closing. */
export function linuxProcesses(): readonly ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const row = rowOfStat(Number(name), readProc(name, 'stat') ?? '');
    return row === null ? [] : [row];
  });
}

/** True when the process was started with this variable in its environment, which all its descendants inherit. Linux
 *  only. */
export function wasStartedWith(pid: number, variable: string): boolean {
  return (readProc(pid, 'environ') ?? '').split('\0').includes(variable);
}

/** Value of an environment variable a process was started with. Null when it has none or we may not read it. Linux
 *  only. */
export function startedWith(pid: number, name: string): string | null {
  const entry = (readProc(pid, 'environ') ?? '').split('\0').find((variable) => variable.startsWith(`${name}=`));
  return entry?.slice(name.length + 1) ?? null;
}

/** True when two processes share a pid namespace: in another container the same number is another process. Linux
 *  only. */
export function sharesPids(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync('/proc/self/ns/pid');
  } catch {
    return false;
  }
}

function rowOfStat(pid: number, text: string): ProcessRow | null {
  const stat = readStat(text);
  const [parent, group, session] = stat.fields.slice(1, 4).map(Number);
  if (parent === undefined || group === undefined || session === undefined || isZombie(stat)) return null;
  return { pid, parent, group, session, name: stat.name };
}

function listedByPs(): Promise<readonly ProcessRow[]> {
  return new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,comm='], { maxBuffer: 16 * 1024 * 1024 }, (error, out) => {
      // Without `ps` only the process group is known, and it can be signaled without a list.
      resolve(error === null ? psRows(out) : []);
    });
  });
}

export function psRows(out: string): readonly ProcessRow[] {
  return out.split('\n').flatMap((line) => {
    const row = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (row === null || row[4]?.startsWith('Z') === true) return [];
    return [
      {
        pid: Number(row[1]),
        parent: Number(row[2]),
        group: Number(row[3]),
        session: Number(row[3]),
        name: (row[5] ?? '').replace(/^.*\//, ''),
      },
    ];
  });
}
