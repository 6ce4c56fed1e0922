/**
 * Kills a process that writes to a store, over and over: `node test/crash/storeKill.mjs [--trials 300] [--seed 1] [--json FILE]`.
 * Fails when anything acknowledged was lost.
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from '../../scripts/typescriptModule.mjs';

const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const { runKillTrials, seededRandom, testSqlite } = await importTypeScript('test/crash/killTrials.ts');
const writer = fileURLToPath(new URL('storeWriter.ts', import.meta.url));
const result = await runKillTrials(
  await testSqlite(),
  writer,
  Number(values.trials),
  seededRandom(Number(values.seed)),
);
console.log(JSON.stringify(result));
if (values.json !== undefined) fs.writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
if (result.lost + result.partial + result.corrupt > 0) process.exitCode = 1;
