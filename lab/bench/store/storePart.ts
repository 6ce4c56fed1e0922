import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inTemporaryFolder } from '../../support/temporaryFolder';
import { grouped, growth, quantiles, rounded, type Quantiles } from '../figures';
import type { Aim, Part } from '../part';
import { programs } from '../programs';
import { messagesPerTurn, turnsPerSession } from './benchTurn';
import { contestantNames, type ContestantName } from './contestants';
import { seedStore } from './seedStore';
import { StoreProcess } from './storeProcess';

interface Plan {
  readonly rounds: number;
  readonly chunks: number;
  readonly reads: number;
  readonly searches: number;
  readonly openings: number;
}

const plans: Readonly<Record<'quick' | 'full', Plan>> = {
  quick: { rounds: 3, chunks: 100, reads: 10, searches: 10, openings: 2 },
  full: { rounds: 20, chunks: 400, reads: 40, searches: 15, openings: 5 },
};
const turnsPerRound = 10;
/** Not counted: caches fill, the compiler warms up. */
const warmUpTurns = 20;

const labels: Readonly<Record<ContestantName, string>> = {
  hermes: 'Hermes (worker)',
  nativeThread: 'better-sqlite3 (worker)',
  hermesEngine: 'Hermes (engine only)',
  native: 'better-sqlite3',
};

type Measure = 'open' | 'turns' | 'chunks' | 'load' | 'search';
type Times = Record<Measure, number[]>;

interface ContestantFigures extends Readonly<Record<Measure, Quantiles>> {
  readonly memoryMb: number;
}

interface SizeFigures {
  readonly messages: number;
  readonly contestants: Readonly<Record<ContestantName, ContestantFigures>>;
  /** What the deferred index owes for a turn, in idle time. */
  readonly indexMsPerTurn: number;
  readonly words: Quantiles;
  /** Chunks while a scan runs, and its end once it was canceled. Null in a store that is scanned too fast. */
  readonly scan: { readonly chunks: Quantiles; readonly canceledMs: number } | null;
}

/** The store against a native SQLite, each with and without a thread. `size`: messages. */
export const storePart: Part = async ({ quick, size }) => {
  const sizes = size !== null ? [size] : quick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 300_000];
  const figures: SizeFigures[] = [];
  for (const messages of sizes)
    figures.push(
      await inTemporaryFolder('bench', (work) => measureSize(work, messages, plans[quick ? 'quick' : 'full'])),
    );
  return { figures: { sizes: figures }, aims: aims(figures) };
};

async function measureSize(work: string, messages: number, plan: Plan): Promise<SizeFigures> {
  console.log(`  ${grouped(messages)} messages`);
  const [seed, turns] = [join(work, 'seed'), Math.ceil(messages / messagesPerTurn)];
  mkdirSync(seed);
  seedStore(seed, turns);
  const seeded = join(seed, 'state.db');
  const megabytes = statSync(seeded).size / 2 ** 20;
  const times = byName((): Times => ({ open: [], turns: [], chunks: [], load: [], search: [] }));
  const running = new Map<ContestantName, StoreProcess>();
  try {
    for (const name of contestantNames) {
      const folder = join(work, name);
      mkdirSync(folder);
      copyFileSync(seeded, join(folder, 'state.db'));
      // Written back while a store is opened, the copy would slow the opening.
      execFileSync('sync');
      for (let opening = 0; opening < plan.openings; opening++) {
        await running.get(name)?.close();
        const { opened, ms } = await StoreProcess.open(name, folder, await programs());
        running.set(name, opened);
        times[name].open.push(ms);
      }
    }
    const [product, engine] = [running.get('hermes'), running.get('hermesEngine')];
    if (product === undefined || engine === undefined) throw new Error('The product is not open.');
    for (const process of running.values()) await process.order({ order: 'turns', from: turns, count: warmUpTurns });
    let indexMs = 0;
    // The contestants take turns, so that whatever else the machine does meets all of them.
    for (let round = 0; round < plan.rounds; round++) {
      const from = turns + warmUpTurns + round * turnsPerRound;
      for (const [name, process] of running)
        times[name].turns.push(...(await process.order({ order: 'turns', from, count: turnsPerRound })));
      // The background work for these turns.
      indexMs += (await engine.order({ order: 'index' }))[0] ?? 0;
    }
    const sessions = Math.max(1, Math.floor(turns / turnsPerSession));
    for (const [name, process] of running) {
      times[name].chunks.push(...(await process.order({ order: 'chunks', turn: turns + 100_000, count: plan.chunks })));
      times[name].load.push(...(await process.order({ order: 'load', count: plan.reads, sessions })));
      times[name].search.push(...(await process.order({ order: 'search', count: plan.searches, sessions })));
    }
    const words = quantiles(await product.order({ order: 'words', count: 100, sessions }));
    // A scan of a smaller store is over before anything can be written beside it.
    const scan =
      messages < 10_000
        ? null
        : await product.order({
            order: 'scan',
            turn: turns + 200_000,
            count: messages < 100_000 ? 5 : plan.chunks / 4,
          });
    const memory = byName(() => 0);
    for (const [name, process] of running) memory[name] = (await process.order({ order: 'memory' }))[0] ?? 0;
    const figures: SizeFigures = {
      messages,
      contestants: byName((name) => ({
        open: quantiles(times[name].open),
        turns: quantiles(times[name].turns),
        chunks: quantiles(times[name].chunks),
        load: quantiles(times[name].load),
        search: quantiles(times[name].search),
        memoryMb: rounded(memory[name]),
      })),
      indexMsPerTurn: rounded(indexMs / times.hermesEngine.turns.length, 3),
      words,
      scan: scan && { chunks: quantiles(scan.slice(0, -1)), canceledMs: rounded(scan.at(-1) ?? 0, 3) },
    };
    print(figures, megabytes);
    return figures;
  } finally {
    for (const process of running.values()) process.stop();
    rmSync(seed, { recursive: true });
  }
}

function byName<T>(make: (name: ContestantName) => T): Record<ContestantName, T> {
  return {
    hermes: make('hermes'),
    nativeThread: make('nativeThread'),
    hermesEngine: make('hermesEngine'),
    native: make('native'),
  };
}

function print({ contestants, indexMsPerTurn, words, scan }: SizeFigures, megabytes: number): void {
  const columns = ['ms', 'turn p50', 'p95', 'chunk p50', 'p95', 'open', 'load 200', 'search', 'RSS MB'];
  const rows = contestantNames.map((name) => {
    const { turns, chunks, open, load, search, memoryMb } = contestants[name];
    const figures = [turns.p50, turns.p95, chunks.p50, chunks.p95, open.p50, load.p50, search.p50, memoryMb];
    return [labels[name], ...figures.map((value) => value.toFixed(value < 10 ? 2 : 0))];
  });
  for (const [first = '', ...others] of [columns, ...rows])
    console.log(`  ${first.padEnd(24)}${others.map((cell) => cell.padStart(10)).join('')}`);
  const scanned = scan
    ? `; chunks while a scan runs p95 ${scan.chunks.p95} ms, canceled after ${scan.canceledMs} ms`
    : '';
  console.log(
    `  ${megabytes.toFixed(0)} MB; indexing in idle time ${indexMsPerTurn} ms a turn; words p95 ` +
      `${words.p95} ms${scanned}`,
  );
}

function aims(sizes: readonly SizeFigures[]): readonly Aim[] {
  const largest = sizes.at(-1);
  if (largest === undefined) return [];
  const turnOf = (size: SizeFigures, name: ContestantName): number => size.contestants[name].turns.p50;
  const worst = (ours: ContestantName, theirs: ContestantName, of: 'turns' | 'chunks' = 'turns'): number =>
    rounded(Math.max(...sizes.map(({ contestants }) => contestants[ours][of].p50 / contestants[theirs][of].p50)), 3);
  const { hermes, nativeThread } = largest.contestants;
  const turn = 'durable turn, × better-sqlite3';
  return [
    { aim: `${turn}, both in a worker (worst size)`, value: worst('hermes', 'nativeThread'), most: 1 },
    { aim: `${turn}, both without (worst size)`, value: worst('hermesEngine', 'native'), most: 1 },
    { aim: `${turn}, ours in a worker, theirs without (worst size)`, value: worst('hermes', 'native'), most: 1 },
    {
      aim: 'durable chunk, × better-sqlite3, both in a worker (worst size)',
      value: worst('hermes', 'nativeThread', 'chunks'),
      most: 1.2,
    },
    ...(sizes.length < 2
      ? []
      : [
          {
            aim: 'growth exponent of a turn',
            value: growth(sizes.map((size) => ({ x: size.messages, y: turnOf(size, 'hermes') }))),
            most: 0.05,
          },
        ]),
    {
      aim: `open at ${grouped(largest.messages)} messages, × better-sqlite3, both in a worker`,
      value: rounded(hermes.open.p50 / nativeThread.open.p50, 3),
      most: 1.5,
    },
    {
      aim: `search for words at ${grouped(largest.messages)} messages, p95 ms`,
      value: largest.words.p95,
      most: 100,
    },
    ...(largest.scan ? [{ aim: 'chunk while a scan runs, p95 ms', value: largest.scan.chunks.p95, most: 40 }] : []),
  ];
}
