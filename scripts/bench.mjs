/**
 * Measures the store against better-sqlite3 and against sql.js used the stock way, in one run, and the rest of the product, and compares with our aims.
 *   npm run bench -- [--json FILE] [--quick] [--long | --view [--only ROW]]
 * What is measured and what the figures mean: docs/benchmarks.md.
 */
import { execFileSync, fork } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchPackages, installBenchPackages } from './benchPackages.mjs';
import { fileSearchAims, measureFileSearch } from './fileSearchBench.mjs';
import { importAims, measureImport, measureRescue, rescueAims } from './importBench.mjs';
import { measurePrompts, promptAims } from './promptBench.mjs';
import { measureShipped } from './shippedExtension.mjs';
import { measureSync, syncAims, syncPlan } from './syncBench.mjs';
import { measureView, viewAims, viewBench } from './viewBench.mjs';
import { measureWrites, writesAims } from './writesBench.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const packages = benchPackages;

const { values: flags } = parseArgs({
  options: {
    json: { type: 'string' },
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    view: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
if (flags.view) {
  await viewBench(flags);
  process.exit();
}

const plan = flags.quick
  ? {
      sizes: [1_000, 10_000],
      rounds: 6,
      turnsPerRound: 10,
      chunks: 200,
      reads: 20,
      searches: 10,
      openings: 3,
      naiveTurns: 3,
      starts: 0,
      sessions: 500,
      longest: 2_000,
      longTurns: [2_000],
    }
  : {
      sizes: [1_000, 10_000, 100_000, 300_000],
      rounds: 20,
      turnsPerRound: 10,
      chunks: 400,
      reads: 40,
      searches: 15,
      openings: 5,
      naiveTurns: 5,
      starts: 3,
      sessions: 5_000,
      longest: 20_000,
      longTurns: [2_000, 20_000],
    };

/** As in test/bench/benchTurn.ts: about 200 messages. */
const turnsPerSession = 28;

/** @typedef {'hermes' | 'betterSqliteWorker' | 'hermesEngine' | 'betterSqlite' | 'naive'} Name */
/** @type {Record<Name, string>} */
const labels = {
  hermes: 'Hermes (worker)',
  betterSqliteWorker: 'better-sqlite3 (worker)',
  hermesEngine: 'Hermes (engine only)',
  betterSqlite: 'better-sqlite3',
  naive: 'sql.js, naive export',
};

/** Process-wide order: the machine does one thing at a time. */
class Contestant {
  /** @param {string} program */
  constructor(program) {
    this.child = fork(program, { execArgv: ['--max-old-space-size=8192'] });
    /** @type {((answer: { values?: number[], error?: string }) => void) | undefined} */
    this.answered = undefined;
    this.child.on('message', (answer) =>
      this.answered?.(/** @type {{ values?: number[], error?: string }} */ (answer)),
    );
    this.child.on('exit', (code) => this.answered?.({ error: `The process ended with ${code}.` }));
  }

  /** @param {object} order @returns {Promise<number[]>} */
  order(order) {
    return new Promise((resolve, reject) => {
      this.answered = ({ values, error }) => (values ? resolve(values) : reject(new Error(error)));
      this.child.send(order);
    });
  }

  stop() {
    this.answered = undefined;
    this.child.kill();
  }
}

/** The bench's own program and the worker as it is shipped. @param {string} folder */
async function bundle(folder) {
  const { build } = await import('esbuild');
  const node = {
    absWorkingDir: root,
    bundle: true,
    platform: /** @type {const} */ ('node'),
    target: 'node20',
    format: /** @type {const} */ ('cjs'),
    logLevel: /** @type {const} */ ('warning'),
  };
  await build({
    ...node,
    entryPoints: { storeWorker: 'src/store/worker/storeWorker.ts', storeThread: 'src/host/start/storeThread.ts' },
    outdir: folder,
    minify: true,
  });
  await build({
    ...node,
    entryPoints: ['test/bench/benchProcess.ts', 'test/bench/betterSqliteThread.ts'],
    outdir: folder,
  });
  fs.copyFileSync(path.join(root, 'node_modules/sql.js/dist/sql-wasm.wasm'), path.join(folder, 'sql-wasm.wasm'));
  return path.join(folder, 'benchProcess.js');
}

/** @param {string} program @param {string} work @param {number} messages */
async function measureSize(program, work, messages) {
  console.log(`\n${messages.toLocaleString('en')} messages`);
  const seedFolder = path.join(work, `seed-${messages}`);
  fs.mkdirSync(seedFolder);
  const seeder = new Contestant(program);
  const [turns = 0] = await seeder.order({ order: 'seed', folder: seedFolder, packages, messages });
  seeder.stop();
  const seeded = path.join(seedFolder, 'state.db');
  console.log(`  made a store of ${(fs.statSync(seeded).size / 2 ** 20).toFixed(0)} MB`);

  const names = /** @type {Name[]} */ (Object.keys(labels));
  /** @type {Record<string, { open: number[], turns: number[], chunks: number[], load: number[], search: number[], memory: number, index?: number }>} */
  const results = {};
  /** Of the product alone. @type {{ words: number[], duringScan: number[], cancel: number[] }} */
  const finding = { words: [], duringScan: [], cancel: [] };
  /** @type {Map<Name, Contestant>} */
  const running = new Map();
  try {
    for (const name of names) {
      const place = { folder: path.join(work, `${name}-${messages}`), worker: work, packages };
      fs.mkdirSync(place.folder);
      fs.copyFileSync(seeded, path.join(place.folder, 'state.db'));
      // Written back while a store is opened, the copy would hold up what is opened.
      execFileSync('sync');
      results[name] = { open: [], turns: [], chunks: [], load: [], search: [], memory: 0 };
      for (let opening = 0; opening < (name === 'naive' ? 1 : plan.openings); opening++) {
        running.get(name)?.stop();
        const contestant = new Contestant(program);
        running.set(name, contestant);
        results[name].open.push(...(await contestant.order({ order: 'open', name, place })));
        if (opening + 1 < plan.openings && name !== 'naive') await contestant.order({ order: 'close' });
      }
    }
    const each = async (/** @type {(contestant: Contestant, name: Name) => Promise<void>} */ work) => {
      for (const [name, contestant] of running) await work(contestant, name);
    };
    // Not counted: caches fill, the compiler warms up.
    await each(
      async (contestant, name) =>
        void (await contestant.order({ order: 'turns', from: turns, count: name === 'naive' ? 1 : 20 })),
    );
    // In turns, so that whatever else the machine does meets all of them.
    for (let round = 0; round < plan.rounds; round++) {
      await each(async (contestant, name) => {
        if (name === 'naive' && round >= plan.naiveTurns) return;
        const count = name === 'naive' ? 1 : plan.turnsPerRound;
        const from = turns + 20 + round * plan.turnsPerRound;
        results[name]?.turns.push(...(await contestant.order({ order: 'turns', from, count })));
      });
      // The background work that the deferred index owes for these turns, measured apart.
      const engine = running.get('hermesEngine');
      const [index = 0] = (await engine?.order({ order: 'index' })) ?? [];
      if (results['hermesEngine']) results['hermesEngine'].index = (results['hermesEngine'].index ?? 0) + index;
    }
    for (const order of /** @type {const} */ (['chunks', 'load', 'search'])) {
      const count = { chunks: plan.chunks, load: plan.reads, search: plan.searches }[order];
      await each(async (contestant, name) => {
        if (name === 'naive' && order === 'chunks') return;
        results[name]?.[order].push(
          ...(await contestant.order({
            order,
            count,
            turn: turns + 100_000,
            sessions: Math.floor(turns / turnsPerSession),
          })),
        );
      });
    }
    const product = running.get('hermes');
    if (product) {
      finding.words.push(...(await product.order({ order: 'words', count: 100 })));
      // A scan of a smaller store is over before anything can be written beside it.
      if (messages >= 10_000) {
        const times = await product.order({
          order: 'scan',
          turn: turns + 200_000,
          count: messages < 100_000 ? 5 : plan.chunks / 4,
        });
        finding.cancel.push(times.pop() ?? 0);
        finding.duringScan.push(...times);
      }
    }
    await each(async (contestant, name) => {
      const result = results[name];
      if (result) [result.memory = 0] = await contestant.order({ order: 'memory' });
      if (name !== 'naive') await contestant.order({ order: 'close' });
    });
  } finally {
    for (const contestant of running.values()) contestant.stop();
  }
  for (const name of names) fs.rmSync(path.join(work, `${name}-${messages}`), { recursive: true, force: true });
  fs.rmSync(seedFolder, { recursive: true });

  const summary = Object.fromEntries(
    Object.entries(results).map(([name, { memory, index, ...times }]) => {
      const cost = index === undefined ? {} : { indexMsPerTurn: round(index / times.turns.length) };
      return [
        name,
        {
          ...Object.fromEntries(Object.entries(times).map(([what, values]) => [what, quantiles(values)])),
          memoryMb: round(memory),
          ...cost,
        },
      ];
    }),
  );
  printSize(summary);
  const found = Object.fromEntries(
    Object.entries(finding)
      .filter(([, values]) => values.length > 0)
      .map(([what, values]) => [what, quantiles(values)]),
  );
  const scanned = found.duringScan
    ? `; chunks while a scan runs p95 ${found.duringScan.p95} ms; cancelled after ${found.cancel?.p50} ms`
    : '';
  console.log(`  words p95 ${found.words?.p95} ms${scanned}`);
  return { messages, contestants: summary, finding: found };
}

/** Many sessions, and a long one. @param {string} program @param {string} work */
async function measureSessions(program, work) {
  console.log(`\n${plan.sessions.toLocaleString('en')} sessions, one of ${plan.longest.toLocaleString('en')} messages`);
  const folder = path.join(work, 'sessions');
  fs.mkdirSync(folder);
  const seeder = new Contestant(program);
  await seeder.order({ order: 'seedSessions', folder, packages, sessions: plan.sessions, longest: plan.longest });
  seeder.stop();
  /** @type {{ list: number[], resume: number[] }} */
  const times = { list: [], resume: [] };
  for (let opening = 0; opening < plan.openings; opening++) {
    const product = new Contestant(program);
    try {
      await product.order({ order: 'open', name: 'hermes', place: { folder, worker: work, packages } });
      // The first of each in its process counts as any other: that is when a person waits.
      times.resume.push(...(await product.order({ order: 'resume', count: plan.reads / 10 })));
      times.list.push(...(await product.order({ order: 'list', count: plan.reads / 10 })));
      await product.order({ order: 'close' });
    } finally {
      product.stop();
    }
  }
  fs.rmSync(folder, { recursive: true });
  const summary = {
    sessions: plan.sessions,
    longest: plan.longest,
    list: quantiles(times.list),
    resume: quantiles(times.resume),
  };
  console.log(
    `  list p50 ${summary.list?.p50} ms, max ${summary.list?.max}; first page of the long one p50 ${summary.resume?.p50} ms, max ${summary.resume?.max}`,
  );
  return summary;
}

/** As in test/bench/long/longSessionBench.ts, in its order. */
const longOperations = ['branch', 'rewind', 'retry', 'export', 'verify', 'forget', 'prompt'];

/** What is done with a whole long session, while text of another answer is stored. @param {string} program @param {string} work */
async function measureLongSessions(program, work) {
  console.log(
    `\nLong sessions, while another answer is stored (${plan.longTurns.map((turns) => turns.toLocaleString('en')).join(' and ')} turns)`,
  );
  /** @type {{ turns: number, operations: Record<string, { ms: number, chunkMax: number, chunkP95: number, chunks: number }> }[]} */
  const sizes = [];
  for (const turns of plan.longTurns) {
    const product = new Contestant(program);
    try {
      const figures = (await product.order({ order: 'longSession', work, turns })).map(round);
      sizes.push({
        turns,
        operations: Object.fromEntries(
          longOperations.map((name, index) => {
            const [ms = 0, chunkMax = 0, chunkP95 = 0, chunks = 0] = figures.slice(index * 4, index * 4 + 4);
            return [name, { ms, chunkMax, chunkP95, chunks }];
          }),
        ),
      });
    } finally {
      product.stop();
    }
  }
  for (const name of longOperations) {
    console.log(
      `  ${name.padEnd(8)} ${sizes
        .map(({ turns, operations }) => {
          const { ms, chunkMax, chunkP95 } = operations[name] ?? { ms: 0, chunkMax: 0, chunkP95: 0 };
          return `${turns.toLocaleString('en').padStart(6)} turns ${ms.toFixed(0).padStart(6)} ms, a chunk waits p95 ${chunkP95.toFixed(0)}, max ${chunkMax.toFixed(0)}`;
        })
        .join('   ')}   growth exponent ${longGrowth(sizes, name)}`,
    );
  }
  return sizes;
}

/** 1: an operation takes ten times as long in a session that is ten times as long. Null for one size. */
function longGrowth(sizes, name) {
  return sizes.length < 2 ? null : growth(sizes.map(({ turns, operations }) => ({ x: turns, y: operations[name].ms })));
}

/** @param {number[]} values */
function quantiles(values) {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ part) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: at(1), count: sorted.length };
}

/** Slope of log(time) over log(messages): 0 does not grow, 1 grows as the store does. @param {{ x: number, y: number }[]} points */
function growth(points) {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = { x: mean(logs.map(({ x }) => x)), y: mean(logs.map(({ y }) => y)) };
  const above = logs.reduce((sum, { x, y }) => sum + (x - middle.x) * (y - middle.y), 0);
  return round(above / logs.reduce((sum, { x }) => sum + (x - middle.x) ** 2, 0));
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000;
}

function printSize(summary) {
  const columns = ['', 'turn p50', 'p95', 'chunk p50', 'p95', 'open', 'load 200', 'search', 'RSS MB'];
  const rows = Object.entries(summary).map(([name, result]) => {
    const figure = (/** @type {number | undefined} */ value) =>
      value === undefined ? '–' : value.toFixed(value < 10 ? 2 : 0);
    const { turns, chunks, open, load, search, memoryMb } = result;
    return [
      labels[name],
      figure(turns?.p50),
      figure(turns?.p95),
      figure(chunks?.p50),
      figure(chunks?.p95),
      figure(open?.p50),
      figure(load?.p50),
      figure(search?.p50),
      figure(memoryMb),
    ];
  });
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index].length)));
  for (const row of [columns, ...rows])
    console.log(
      `  ${row.map((cell, index) => (index === 0 ? cell.padEnd(widths[index]) : cell.padStart(widths[index]))).join('  ')}`,
    );
  console.log(`  indexing in idle time: ${summary.hermesEngine.indexMsPerTurn} ms per turn`);
}

async function measureInVscode() {
  console.log('\nThe extension in a real VS Code …');
  const shipped = await measureShipped(plan.starts);
  console.log(`  first start of a version: ${shipped.firstActivation.ms} ms`);
  return shipped;
}

function longAims(sizes) {
  const largest = sizes.at(-1);
  const waits = longOperations.map((name) => largest.operations[name].chunkP95);
  const exponents = longOperations.flatMap((name) => longGrowth(sizes, name) ?? []);
  return [
    {
      aim: `chunk while a session of ${largest.turns.toLocaleString('en')} turns is worked on, p95 ms (worst operation)`,
      value: Math.max(...waits),
      most: 50,
    },
    ...(exponents.length === 0
      ? []
      : [
          {
            aim: 'growth exponent of an operation with the length of its session (worst)',
            value: Math.max(...exponents),
            most: 1.1,
          },
        ]),
  ];
}

/** `shipped`: null where no VS Code was started. */
function judge({ sizes, sessions, long, shipped, fileSearch, imported, rescue, sync, writes, prompts, view }) {
  const turnOf = (size, name) => size.contestants[name].turns.p50;
  const largest = sizes.at(-1);
  const worstRatio = (ours, theirs) =>
    round(Math.max(...sizes.map((size) => turnOf(size, ours) / turnOf(size, theirs))));
  const exponent = growth(sizes.map((size) => ({ x: size.messages, y: turnOf(size, 'hermes') })));
  const aims = [
    {
      aim: 'durable turn, × better-sqlite3, both in a worker (worst size)',
      value: worstRatio('hermes', 'betterSqliteWorker'),
      most: 1,
    },
    {
      aim: 'durable turn, × better-sqlite3, both without (worst size)',
      value: worstRatio('hermesEngine', 'betterSqlite'),
      most: 1,
    },
    {
      aim: 'durable turn in the worker, × better-sqlite3 without (worst size)',
      value: worstRatio('hermes', 'betterSqlite'),
      most: 1,
    },
    { aim: 'growth exponent of a turn', value: exponent, most: 0.05 },
    {
      aim: `open at ${largest.messages.toLocaleString('en')} messages, × better-sqlite3, both in a worker`,
      value: round(largest.contestants.hermes.open.p50 / largest.contestants.betterSqliteWorker.open.p50),
      most: 1.5,
    },
    { aim: `list of ${sessions.sessions.toLocaleString('en')} sessions, ms`, value: sessions.list.p50, most: 100 },
    {
      aim: `first page of a session of ${sessions.longest.toLocaleString('en')} messages, ms`,
      value: sessions.resume.p50,
      most: 150,
    },
    {
      aim: `search for words at ${largest.messages.toLocaleString('en')} messages, p95 ms`,
      value: largest.finding.words.p95,
      most: 100,
    },
    { aim: 'chunk while a scan runs, p95 ms', value: largest.finding.duringScan.p95, most: 40 },
    ...longAims(long),
    ...fileSearchAims(fileSearch),
    ...importAims(imported),
    ...rescueAims(rescue),
    ...syncAims(sync),
    ...(writes === null ? [] : writesAims(writes)),
    ...promptAims(prompts),
    ...viewAims(view),
  ];
  if (shipped !== null) {
    aims.push({
      aim: 'activation in a real VS Code (load + activate), after the first start, ms',
      value: shipped.activation.ms,
      most: 50,
    });
    aims.push({ aim: '.vsix, bytes', value: shipped.vsixBytes, most: 4 * 1024 * 1024 });
  }
  return aims;
}

const started = performance.now();
if (!flags.long) installBenchPackages();
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-bench-'));
try {
  const program = await bundle(work);
  const long = await measureLongSessions(program, work);
  const sizes = [];
  if (!flags.long) for (const messages of plan.sizes) sizes.push(await measureSize(program, work, messages));
  const sessions = flags.long ? null : await measureSessions(program, work);
  const fileSearch = flags.long ? null : await measureFileSearch(flags.quick);
  const imported = flags.long ? null : await measureImport(flags.quick ? 100 : 1_000);
  const rescue = flags.long ? null : await measureRescue(flags.quick ? 1_000 : 5_000);
  const sync = flags.long ? null : await measureSync(syncPlan(flags.quick));
  const writes = flags.long ? null : await measureWrites(flags.quick ? 10 : 60);
  const prompts = flags.long ? null : await measurePrompts(flags.quick ? 10 : 40, 100);
  const view = flags.long ? null : await measureView({ quick: flags.quick });
  const shipped = flags.long || plan.starts === 0 ? null : await measureInVscode();
  const measured = (
    flags.long
      ? longAims(long)
      : judge({ sizes, sessions, long, shipped, fileSearch, imported, rescue, sync, writes, prompts, view })
  ).map((aim) => ({ ...aim, met: aim.value <= aim.most }));
  console.log('\nAims');
  for (const { aim, value, most, met } of measured)
    console.log(`  ${met ? '✓' : '✗'} ${aim}: ${value} (at most ${most})`);
  const seconds = round((performance.now() - started) / 1000);
  console.log(`\nTook ${seconds.toFixed(0)} s.`);
  if (flags.json) {
    const machine = {
      cpus: os.cpus().length,
      model: os.cpus()[0]?.model ?? null,
      memoryGb: Math.round(os.totalmem() / 2 ** 30),
      platform: process.platform,
      node: process.version,
    };
    fs.writeFileSync(
      flags.json,
      `${JSON.stringify({ machine, quick: flags.quick, seconds, sizes, sessions, long, fileSearch, imported, rescue, sync, writes, prompts, view, ...(shipped ?? {}), aims: measured }, null, 2)}\n`,
    );
  }
} finally {
  fs.rmSync(work, { recursive: true, force: true });
}
