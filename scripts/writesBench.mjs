/**
 * Measures what a turn writes to the disk, with `strace`; a part of `npm run bench`, and alone:
 *   node scripts/writesBench.mjs [--turns N] [--json FILE]
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from './typescriptModule.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Null where system calls cannot be traced. @param {number} shortTurns */
export async function measureWrites(shortTurns) {
  console.log(`\nWhat ${shortTurns} turns of 2 KB and an answer of 23 KB write`);
  const { benchWrites, canTrace } = await importTypeScript('test/bench/writes/writesBench.ts');
  if (!canTrace()) {
    console.log('  not measured: needs strace (apt install strace)');
    return null;
  }
  /** @type {('short' | 'fast' | 'long')[]} */
  const plan = [
    ...Array.from({ length: shortTurns }, () => /** @type {const} */ ('short')),
    'fast',
    'fast',
    'fast',
    'long',
  ];
  const turns = await benchWrites(plan);
  const rows = {
    first: average(turns.filter(({ name }) => name === 'short').slice(1, 5)),
    short: average(turns.filter(({ name }) => name === 'short').slice(1)),
    fast: average(turns.filter(({ name }) => name === 'fast')),
    long: average(turns.filter(({ name }) => name === 'long')),
  };
  for (const [name, row] of Object.entries(rows))
    console.log(
      `  ${labels[/** @type {keyof typeof labels} */ (name)]}: ${row.syncs} syncs (${row.syncsPerSecond} a second while text came), ${row.bytes.toLocaleString('en')} bytes (${row.bytesPerShown} for each shown)`,
    );
  return rows;
}

const labels = {
  first: 'turn of 2 KB in 2.4 s, the second to the fifth',
  short: 'the same, all but the first, with what empties the log',
  fast: 'turn of 2 KB in 0.4 s',
  long: 'answer of 23 KB in 27 s',
};

/** Averages of whole turns, with what the store wrote in the idle moments behind them. @param {readonly { shown: number, seconds: number, running: { syncs: number, bytes: number }, resting: { syncs: number, bytes: number } }[]} turns */
function average(turns) {
  /** @param {(turn: typeof turns[number]) => number} of */
  const mean = (of) => turns.reduce((sum, turn) => sum + of(turn), 0) / turns.length;
  const bytes = mean(({ running, resting }) => running.bytes + resting.bytes);
  return {
    syncs: Math.round(mean(({ running, resting }) => running.syncs + resting.syncs)),
    syncsPerSecond: round(mean(({ running }) => running.syncs) / mean(({ seconds }) => seconds)),
    bytes: Math.round(bytes),
    bytesPerShown: round(bytes / mean(({ shown }) => shown)),
  };
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {NonNullable<Awaited<ReturnType<typeof measureWrites>>>} measured */
export function writesAims({ short, fast, long }) {
  return [
    { aim: 'syncs a second of a streamed answer', value: long.syncsPerSecond, most: 15 },
    { aim: 'bytes written for each byte shown of an answer of 23 KB', value: long.bytesPerShown, most: 20 },
    { aim: 'bytes of a turn of 2 KB, average of a session', value: short.bytes, most: 80_000 },
    { aim: 'syncs of a turn of 2 KB in 0.4 s', value: fast.syncs, most: 10 },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { turns: { type: 'string', default: '50' }, json: { type: 'string' } } });
  const json = values.json === undefined ? undefined : path.resolve(values.json);
  process.chdir(root);
  const measured = await measureWrites(Number(values.turns));
  if (measured !== null)
    for (const { aim, value, most } of writesAims(measured))
      console.log(`  ${value <= most ? '✓' : '✗'} ${aim}: ${value} (at most ${most})`);
  if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify(measured, null, 2)}\n`);
}
