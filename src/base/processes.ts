import { readFileSync } from 'node:fs';

/** Facts about a process from Linux's `/proc/<pid>/stat`. */
interface ProcessStat {
  readonly name: string;
  /** One letter. */
  readonly state: string;
  /** The fields of the file from the state on, which is the first. */
  readonly fields: readonly string[];
}

/** A file of `/proc/<pid>`; null for a process that is gone, or not ours to look at. */
export function readProc(pid: number | string, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return null;
  }
}

/** Reads `12 (na me) S 1 12 12 …`: the name may hold spaces and parentheses. */
export function readStat(stat: string): ProcessStat {
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  return { name: stat.slice(stat.indexOf('(') + 1, end), state: fields[0] ?? '', fields };
}

/** A zombie runs nothing and holds no files any more. */
export function isZombie({ state }: ProcessStat): boolean {
  return state === 'Z' || state === 'X';
}
