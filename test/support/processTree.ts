import { readdirSync, readFileSync } from 'node:fs';

// Reads /proc, so Linux only.

export function descendantsOf(pid: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const each of allProcesses()) {
    const parent = parentOf(each);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), each]);
  }
  const all = (of: number): readonly number[] => (children.get(of) ?? []).flatMap((child) => [child, ...all(child)]);
  return all(pid);
}

export function allProcesses(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

export function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return []; // it ended meanwhile
  }
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null; // it ended meanwhile
  }
}

/** Resident memory of a process in bytes. */
export function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it ended meanwhile
  }
}

/** Command line of a process; empty for one that is gone. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
