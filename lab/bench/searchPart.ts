import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureVscode } from '../../scripts/vscodeInstall.mjs';
import { diskReader } from '../../src/host/workspace/folderWalk';
import { Pace } from '../../src/host/workspace/pace';
import { findRipgrep, ripgrepCandidates } from '../../src/host/workspace/ripgrepPath';
import { searchWithRipgrep } from '../../src/host/workspace/ripgrepSearch';
import { scanFolder } from '../../src/host/workspace/scanSearch';
import type { TextMatch } from '../../src/tools/workspaceFiles';
import { inTemporaryFolder } from '../support/temporaryFolder';
import { grouped, quantiles, type Quantiles } from './figures';
import type { Aim, Part } from './part';

/** In milliseconds. */
interface SearchFigures {
  readonly whole: Quantiles;
  /** From the stop to the rejection. */
  readonly cancel: Quantiles;
  /** Times in which nothing else of the process had its turn. */
  readonly stall: Quantiles;
  /** The part of each stall in which the process had a processor (all its threads, so at most too much): what the
   *  search itself is to blame for. */
  readonly busy: Quantiles;
}

const filesPerFolder = 50;
const needle = 'theOnlyPlaceOfItsKind';
/** VS Code, which brings ripgrep along. */
const editor = 'test/vscode/node_modules/code-server/lib/vscode';

/** Searches a tree of small files for a line that is in the last one of them, with ripgrep and with the fallback.
 *  `size`: files. */
export const searchPart: Part = async ({ quick, size }) => {
  const files = size ?? (quick ? 2_000 : 50_000);
  const rounds = quick ? 3 : 7;
  // A quick run takes what is there.
  if (!quick) await ensureVscode(console.log);
  return inTemporaryFolder('search', async (root) => {
    plant(root, files);
    const binary = await findRipgrep(ripgrepCandidates(join(process.cwd(), editor), process.platform, process.arch));
    const search = { query: needle, isRegularExpression: false, caseSensitive: true, include: null, maxMatches: 10 };
    const common = { root, search, excludes: [], accepts: () => true, limit: 10 };
    const found: Record<string, SearchFigures> = {};
    if (binary !== null)
      found['ripgrep'] = await measure(rounds, (signal) => searchWithRipgrep({ ...common, binary, signal }));
    found['fallback'] = await measure(rounds, (signal) =>
      scanFolder({ ...common, reader: diskReader, signal }, new Pace()),
    );
    const idle = await idleStalls();
    for (const [name, { whole, cancel, stall, busy }] of Object.entries(found))
      console.log(
        `  ${name.padEnd(8)} whole p50 ${whole.p50} ms; stopped after p50 ${cancel.p50} ms, max ` +
          `${cancel.max}; nothing else had its turn for p99 ${stall.p99} ms, max ${stall.max}, computing ` +
          `p99 ${busy.p99}, max ${busy.max}`,
      );
    console.log(`  a process that does nothing: p99 ${idle.p99} ms, max ${idle.max}`);
    const aim = `a search of ${grouped(files)} files`;
    return {
      figures: { files, ...found, idle },
      aims: Object.entries(found).flatMap(([name, { cancel, busy }]): readonly Aim[] => [
        { aim: `${aim} is stopped (${name}), max ms`, value: cancel.max, most: 100 },
        ...(name === 'fallback'
          ? [{ aim: `${aim} computes at a stretch (fallback), max ms`, value: busy.max, most: 20 }]
          : []),
      ]),
    };
  });
};

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
): Promise<SearchFigures> {
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
  return {
    whole: quantiles(figures.whole, 1),
    cancel: quantiles(figures.cancel, 1),
    stall: quantiles(figures.stall, 1),
    busy: quantiles(figures.busy, 1),
  };
}

async function idleStalls(): Promise<Quantiles> {
  const stall = watchStalls();
  await sleep(1000);
  return quantiles(
    stall().map(({ gap }) => gap),
    1,
  );
}

/** How long the process was kept from everything else, each time, and how much of that it was computing rather than
 *  waiting for a processor. */
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
