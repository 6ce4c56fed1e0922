import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { diskReader } from '../../src/host/workspace/folderWalk';
import { Pace } from '../../src/host/workspace/pace';
import { findRipgrep, ripgrepCandidates } from '../../src/host/workspace/ripgrepPath';
import { searchWithRipgrep } from '../../src/host/workspace/ripgrepSearch';
import { scanFolder } from '../../src/host/workspace/scanSearch';
import type { TextMatch } from '../../src/tools/workspaceFiles';

/** In milliseconds. `cancel`: from the stop to the rejection · `stall`: times in which nothing else of the process had its turn. */
export interface FileSearchFigures {
  readonly whole: readonly number[];
  readonly cancel: readonly number[];
  readonly stall: readonly number[];
  /** The part of each stall in which the process had a processor (all its threads, so at most too much): what the search itself is to blame for. */
  readonly busy: readonly number[];
}

export interface FileSearchBench {
  readonly files: number;
  /** Null where there is none. */
  readonly ripgrep: FileSearchFigures | null;
  readonly fallback: FileSearchFigures;
  /** Stalls of a process that does nothing: what the machine adds to those above. */
  readonly idle: readonly number[];
}

const filesPerFolder = 50;
const needle = 'theOnlyPlaceOfItsKind';

/** Searches a tree of so many small files for a line that is in the last one of them. `editor`: the folder of VS Code, which brings ripgrep along. */
export async function benchFileSearch(files: number, rounds: number, editor: string): Promise<FileSearchBench> {
  const root = mkdtempSync(join(tmpdir(), 'hermes-search-'));
  try {
    plant(root, files);
    const binary = await findRipgrep(ripgrepCandidates(editor, process.platform, process.arch));
    const search = { query: needle, isRegularExpression: false, caseSensitive: true, include: null, maxMatches: 10 };
    const common = { root, search, excludes: [], accepts: () => true, limit: 10 };
    return {
      files,
      ripgrep:
        binary === null ? null : await measure(rounds, (signal) => searchWithRipgrep({ ...common, binary, signal })),
      fallback: await measure(rounds, (signal) => scanFolder({ ...common, reader: diskReader, signal }, new Pace())),
      idle: await idleStalls(),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function plant(root: string, files: number): void {
  const text = Array.from(
    { length: 60 },
    (_, line) => `export const value${line} = compute(${line}, 'some words that are in every file');\n`,
  ).join('');
  for (let index = 0; index < files; index++) {
    const folder = join(
      root,
      `part${String(Math.floor(index / filesPerFolder / 40)).padStart(4, '0')}`,
      `folder${String(Math.floor(index / filesPerFolder)).padStart(5, '0')}`,
    );
    if (index % filesPerFolder === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file${index}.ts`), index === files - 1 ? `${text}${needle}\n` : text);
  }
}

async function measure(
  rounds: number,
  search: (signal: AbortSignal) => Promise<readonly TextMatch[]>,
): Promise<FileSearchFigures> {
  // Not counted: the system's cache of the files fills.
  await search(new AbortController().signal);
  const figures = { whole: [] as number[], cancel: [] as number[], stall: [] as number[], busy: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const stall = watchStalls();
    const started = performance.now();
    const found = await search(new AbortController().signal);
    figures.whole.push(performance.now() - started);
    for (const { gap, busy } of stall()) {
      figures.stall.push(gap);
      figures.busy.push(busy);
    }
    if (found.length !== 1) throw new Error(`The search found ${found.length} matches; 1 is there.`);
  }
  for (let round = 0; round < rounds; round++) {
    const controller = new AbortController();
    const ended = search(controller.signal).then(
      () => null,
      () => performance.now(),
    );
    await sleep(Math.min(...figures.whole) * ((round + 1) / (rounds + 2)));
    const stopped = performance.now();
    controller.abort();
    const rejected = await ended;
    if (rejected !== null) figures.cancel.push(rejected - stopped);
  }
  if (figures.cancel.length === 0) throw new Error('Every search was over before it could be stopped.');
  return figures;
}

async function idleStalls(): Promise<readonly number[]> {
  const stall = watchStalls();
  await sleep(3000);
  return stall().map(({ gap }) => gap);
}

/** How long the process was kept from everything else, each time, and how much of that it was computing rather than waiting for a processor. */
function watchStalls(): () => readonly { readonly gap: number; readonly busy: number }[] {
  const gaps: { readonly gap: number; readonly busy: number }[] = [];
  let last = performance.now();
  let used = process.cpuUsage();
  const timer = setInterval(() => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    const gap = Math.max(0, now - last - 1);
    gaps.push({ gap, busy: Math.min(gap, (user + system) / 1000) });
    last = now;
    used = process.cpuUsage();
  }, 1);
  return () => {
    clearInterval(timer);
    return gaps;
  };
}
