import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process as it is listed. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly name: string;
}

/** Every process that is not a zombie. Where there is no /proc it asks `ps`, which does not tell sessions: `session` is then the group. */
export async function processTable(platform: NodeJS.Platform = process.platform): Promise<readonly ProcessRow[]> {
  if (platform === 'win32') return [];
  return platform === 'linux' ? linuxProcesses() : listedByPs();
}

/** The same at once, for a window that is closing. */
export function linuxProcesses(): readonly ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const row = rowOfStat(readProc(name, 'stat'));
    return row === null ? [] : [row];
  });
}

/** Whether the process was started with this variable in its environment, which its children inherit wherever they go. Linux only. */
export function wasStartedWith(pid: number, variable: string): boolean {
  return readProc(String(pid), 'environ').split('\0').includes(variable);
}

/** The value of a variable a process was started with; null where it has none or is not ours to look at. Linux only. */
export function startedWith(pid: number, name: string): string | null {
  const entry = readProc(String(pid), 'environ')
    .split('\0')
    .find((variable) => variable.startsWith(`${name}=`));
  return entry?.slice(name.length + 1) ?? null;
}

/** Whether two processes count pids alike: in another container the same number is another process. Linux only. */
export function sharesPids(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync('/proc/self/ns/pid');
  } catch {
    return false;
  }
}

/** A process that is gone, or not ours to look at, reads as nothing. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

/** `12 (na me) S 1 12 12 …`: the name may hold spaces and brackets. */
function rowOfStat(stat: string): ProcessRow | null {
  const named = /^(\d+) \((.*)\) (\S) (-?\d+) (-?\d+) (-?\d+) /s.exec(stat);
  if (named === null || named[3] === 'Z' || named[3] === 'X') return null;
  return {
    pid: Number(named[1]),
    parent: Number(named[4]),
    group: Number(named[5]),
    session: Number(named[6]),
    name: named[2] ?? '',
  };
}

function listedByPs(): Promise<readonly ProcessRow[]> {
  return new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,comm='], { maxBuffer: 16 * 1024 * 1024 }, (error, out) => {
      // Without `ps` only the process group is known, which is signalled without a list.
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
