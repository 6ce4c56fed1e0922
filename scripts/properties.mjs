/**
 * Runs random schedules of everything that can happen to turns: `npm run properties -- [--runs 5000] [--seed S]
 * [--worker] [--failures FILE]`, then a fifth as many of what a person does with versions of joined prompts, and a
 * tenth as many stores with one odd value in them; `--of turns|versions|rows` runs one of the three, as often as said.
 * `--worker` puts the store behind its worker, on a real file. A batch of a hundred has a seed of its own; a batch that
 * fails says the command that fails again, and its smallest failing schedule is added to FILE
 * (`.vscode-test/property-failures.jsonl`). `--replay FILE` runs the schedules kept there instead.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from './typescriptModule.mjs';

const batchSize = 100;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    seed: { type: 'string' },
    worker: { type: 'boolean', default: false },
    replay: { type: 'string' },
    of: { type: 'string', default: 'all' },
    failures: { type: 'string', default: '.vscode-test/property-failures.jsonl' },
  },
});
const runs = wholeNumber('runs', values.runs);
const firstSeed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 30) : Number(values.seed);
if (!Number.isInteger(firstSeed)) throw new Error(`--seed takes a number, not ${values.seed}`);
const replay = values.replay === undefined ? undefined : path.resolve(values.replay);
process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));
const { failingRows, failingSchedule, failingVersions, onWorker, simulated, violationsOf } = await importTypeScript(
  'test/properties/everyProperty.ts',
);
if (replay === undefined) {
  if (values.of === 'all' || values.of === 'turns') await runAll();
  for (const [kind, share] of [
    ['versions', 5],
    ['rows', 10],
  ]) {
    if (values.of === kind || (values.of === 'all' && !values.worker))
      await runTrials(kind, values.of === kind ? runs : Math.ceil(runs / share));
  }
} else await replayAll(replay);
// A schedule that failed may have left a thread behind.
process.exit();

async function runAll() {
  const where = values.worker ? await onWorker() : simulated;
  console.log(`${runs} schedules${values.worker ? ' on the worker' : ''}, seed ${firstSeed}`);
  let failed = 0;
  for (let from = 0, seed = firstSeed; from < runs; from += batchSize, seed++) {
    const size = Math.min(batchSize, runs - from);
    const failure = await failingSchedule({ runs: size, seed, where });
    if (failure !== null) {
      failed++;
      fs.mkdirSync(path.dirname(values.failures), { recursive: true });
      fs.appendFileSync(values.failures, `${JSON.stringify(failure)}\n`);
      console.log(
        `Seed ${seed} fails: npm run properties -- --runs ${size} --seed ${seed}${values.worker ? ' --worker' : ''}`,
      );
      for (const line of failure.violations) console.log(`  ${line}`);
      console.log(`  ${JSON.stringify(failure.steps)}`);
    }
    if ((from + size) % 1000 === 0) console.log(`${from + size} schedules, ${failed} failing batches`);
  }
  await where.remove();
  console.log(
    failed === 0 ? `${runs} schedules, no violation` : `${failed} failing batches, kept in ${values.failures}`,
  );
  if (failed > 0) process.exitCode = 1;
}

/** Batches of ten: each shrinks to its smallest failure. */
async function runTrials(kind, count) {
  const failing = kind === 'rows' ? failingRows : failingVersions;
  console.log(`${count} trials of ${kind}, seed ${firstSeed}`);
  let failed = 0;
  for (let from = 0, seed = firstSeed; from < count; from += 10, seed++) {
    const failure = await failing({ runs: Math.min(10, count - from), seed });
    if (failure === null) continue;
    failed++;
    console.log(
      `Seed ${seed} fails: npm run properties -- --of ${kind} --runs ${Math.min(10, count - from)} --seed ${seed}`,
    );
    for (const line of failure.violations) console.log(`  ${line}`);
    console.log(`  ${JSON.stringify(failure.steps)}`);
  }
  console.log(failed === 0 ? `${count} trials of ${kind}, no violation` : `${failed} failing batches of ${kind}`);
  if (failed > 0) process.exitCode = 1;
}

async function replayAll(file) {
  const where = values.worker ? await onWorker() : simulated;
  for (const line of fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text !== '')) {
    const { seed, steps } = JSON.parse(line);
    const violations = await violationsOf(steps, where);
    console.log(`seed ${seed}: ${violations.length === 0 ? 'no violation' : violations.join('\n  ')}`);
    if (violations.length > 0) process.exitCode = 1;
  }
  await where.remove();
}

function wholeNumber(name, text) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} takes a number, not ${text}`);
  return number;
}
