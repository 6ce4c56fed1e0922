import { spawnSync } from 'node:child_process';

/** What a program wrote to files below a folder. */
export interface Written {
  readonly syncs: number;
  readonly bytes: number;
}

const writeLine = /\b(?:write|pwrite64|writev|pwritev)\(\d+<([^>]*)>.*= (\d+)$/;
const syncLine = /\b(?:fsync|fdatasync)\(\d+<([^>]*)>/;
const timeColumn = /^\d+\s+(\d+\.\d+)/;

/** True when this machine can trace system calls. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

/** The command that runs another one and traces what it writes into `file`. */
export function tracing(file: string): readonly string[] {
  const calls = 'write,pwrite64,writev,pwritev,fsync,fdatasync';
  return ['strace', '-f', '-y', '-ttt', '--seccomp-bpf', '-e', `trace=${calls}`, '-o', file];
}

/** Reads from a trace what was written to files below `folder` in stretches that begin at these times, in seconds
 *  since 1970. Each ends where the next begins. */
export function readRanges(trace: string, folder: string, starts: readonly number[]): readonly Written[] {
  const stretches = starts.map(() => ({ syncs: 0, bytes: 0 }));
  for (const line of joined(trace)) {
    const at = Number(timeColumn.exec(line)?.[1] ?? 0);
    const stretch = stretches[starts.findLastIndex((start) => start <= at)];
    if (stretch === undefined) continue;
    if (syncLine.exec(line)?.[1]?.startsWith(folder)) stretch.syncs++;
    const [, path = '', bytes = '0'] = writeLine.exec(line) ?? [];
    if (path.startsWith(folder)) stretch.bytes += Number(bytes);
  }
  return stretches;
}

/** Joins calls that another thread interrupted in the trace. */
function joined(trace: string): readonly string[] {
  const open = new Map<string, string>();
  return trace.split('\n').flatMap((line) => {
    const thread = /^\d+/.exec(line)?.[0] ?? '';
    const begun = /^(.*) <unfinished \.\.\.>$/.exec(line)?.[1];
    if (begun !== undefined) {
      open.set(thread, begun);
      return [];
    }
    const rest = /<\.\.\. \w+ resumed>(.*)$/.exec(line)?.[1];
    return rest === undefined ? [line] : [`${open.get(thread) ?? ''}${rest}`];
  });
}
