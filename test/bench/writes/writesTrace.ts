/** What the traced process is told. */
export interface WritesOrder {
  readonly storage: string;
  readonly workerEntry: string;
  readonly project: string;
  readonly url: string;
  /** One turn for each, with the milliseconds after its end in which the store may tidy up. */
  readonly pausesMs: readonly number[];
}

/** A folder that does not exist. Looks for names in it are marks in a trace. */
export const markFolder = '/hermes-bench-mark';

/** What one stretch of a trace wrote to files below a folder. */
export interface Written {
  readonly syncs: number;
  readonly calls: number;
  readonly bytes: number;
  /** Bytes by file name. */
  readonly files: Readonly<Record<string, number>>;
}

export interface TracedTurn {
  /** Characters that were shown; one byte each in this bench. */
  readonly shown: number;
  readonly seconds: number;
  /** From the prompt to the settled turn. */
  readonly running: Written;
  /** From the settled turn to the next prompt. */
  readonly resting: Written;
}

const markLine = /"\/hermes-bench-mark\/(begin|settled|rest|closed)(?:-(\d+))?(?:-(\d+))?"/;
const writeLine = /\b(?:write|pwrite64|writev|pwritev)\(\d+<([^>]*)>.*= (\d+)$/;
const syncLine = /\b(?:fsync|fdatasync)\(\d+<([^>]*)>/;
const timeColumn = /^\d+\s+(\d+\.\d+)/;

/** The command that another is put behind, so that its calls are written to a file that the functions here read. */
export function tracing(file: string): readonly string[] {
  const calls = 'write,pwrite64,writev,pwritev,fsync,fdatasync,stat,newfstatat,statx,access,faccessat';
  return ['strace', '-f', '-y', '-ttt', '--seccomp-bpf', '-e', `trace=${calls}`, '-o', file];
}

/** Reads what `strace -f -y -ttt` says of write and sync calls to files below `folder`. */
export function readTrace(trace: string, folder: string): readonly TracedTurn[] {
  const turns: TracedTurn[] = [];
  let current = emptyStretch();
  let running: Written = emptyStretch();
  let shown = 0;
  let begun = 0;
  let seconds = 0;
  for (const line of joined(trace)) {
    const mark = markLine.exec(line);
    if (mark !== null) {
      const at = Number(timeColumn.exec(line)?.[1] ?? 0);
      if (mark[1] === 'begin') begun = at;
      if (mark[1] === 'settled') {
        running = current;
        shown = Number(mark[3] ?? 0);
        seconds = at - begun;
      }
      if (mark[1] === 'rest') turns.push({ shown, seconds, running, resting: current });
      current = emptyStretch();
      continue;
    }
    count(line, folder, current);
  }
  return turns;
}

/** The same for stretches that begin at these times, in seconds since 1970; each ends where the next begins. */
export function readStretches(trace: string, folder: string, starts: readonly number[]): readonly Written[] {
  const stretches = starts.map(emptyStretch);
  for (const line of joined(trace)) {
    const at = Number(timeColumn.exec(line)?.[1] ?? 0);
    const stretch = stretches[starts.findLastIndex((start) => start <= at)];
    if (stretch !== undefined) count(line, folder, stretch);
  }
  return stretches;
}

type Stretch = ReturnType<typeof emptyStretch>;

function count(line: string, folder: string, stretch: Stretch): void {
  const synced = syncLine.exec(line)?.[1];
  if (synced?.startsWith(folder) === true) stretch.syncs++;
  const [, path = '', bytes = '0'] = writeLine.exec(line) ?? [];
  if (!path.startsWith(folder)) return;
  const name = path.slice(path.lastIndexOf('/') + 1);
  stretch.calls++;
  stretch.bytes += Number(bytes);
  stretch.files[name] = (stretch.files[name] ?? 0) + Number(bytes);
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

function emptyStretch(): { syncs: number; calls: number; bytes: number; files: Record<string, number> } {
  return { syncs: 0, calls: 0, bytes: 0, files: {} };
}
