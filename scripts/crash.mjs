/**
 * Kills the product's process (real store in its worker, real HTTP, tools and compression running) at random moments
 * and looks for what was shown: `npm run crash -- [--trials 300] [--enter 100] [--seed 1] [--json FILE]`.
 * Then it kills the host of a chat, or reloads its page, at moments up to 400 ms after Enter (`--enter` of them;
 * default: a third of the trials) and looks for what was typed. Fails when a shown character or a typed text is
 * missing or doubled, or a store is damaged.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from './typescriptModule.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '300' },
    enter: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const json = values.json === undefined ? undefined : path.resolve(values.json);
process.chdir(root);
const { runHostTrials } = await importTypeScript('test/crash/hostTrials.ts');
/** Kills of one store. After each, all that it ever showed is looked for, so the time of a run grows with their
 *  square. */
const killsPerStore = 100;
const [trials, seed] = [Number(values.trials), Number(values.seed)];
const result = {};
for (let done = 0; done < trials; done += killsPerStore) {
  const some = await runHostTrials(Math.min(killsPerStore, trials - done), seed + done, (line) =>
    console.log(done === 0 ? line : `${done} kills before; ${line}`),
  );
  for (const [name, figure] of Object.entries(some)) result[name] = (result[name] ?? 0) + figure;
}
const { runEnterTrials } = await importTypeScript('test/crash/enterTrials.ts');
const enter = await runEnterTrials(Number(values.enter ?? Math.ceil(trials / 3)), seed, (line) => console.log(line));
const results = JSON.stringify({ ...result, enter }, null, 2);
console.log(results);
if (json !== undefined) fs.writeFileSync(json, `${results}\n`);
if (enter.lost + enter.doubled + enter.otherDrafts > 0) process.exitCode = 1;
const { lostChars, duplicatedChars, corrupt, lostPrompts, lostRows, invalidHistories, refusedRequests, brokenChains } =
  result;
if (
  lostChars + duplicatedChars + corrupt + lostPrompts + lostRows + invalidHistories + refusedRequests + brokenChains >
  0
)
  process.exitCode = 1;
