/**
 * Cuts the power of a simulated disk at every operation of a store's day (an update of the store's format, turns,
 * tools, compression, a branch, search, checkpoints, sync, a rewind) and, in half of the cases, once more during
 * recovery: `npm run powercut -- [--cuts 4] [--seed 1] [--json FILE]`. `--cuts`: how often at each operation, on each
 * of three kinds of disk. Fails when something that was shown is lost, doubled or in another session, when a store is
 * unsound or does not open, or when a disk that lies about syncing or text that is shown before it is stored goes
 * unnoticed.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from './typescriptModule.mjs';

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const json = values.json === undefined ? undefined : path.resolve(values.json);
const [cuts, seed] = [Number(values.cuts), Number(values.seed)];
if (!(cuts > 0) || !Number.isInteger(seed)) throw new Error('--cuts and --seed take numbers');
process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));
const { runDayCuts } = await importTypeScript('test/crash/dayCuts.ts');

const controls = {
  sync: 'a disk that lies about syncing',
  order: 'text that is shown before it is stored',
};
const results = {};
for (const system of ['posix', 'ntfs', 'apfs']) {
  results[system] = await runDayCuts({ cuts, seed, system });
  console.log(`${system}: ${sentence(results[system])}`);
}
for (const broken of ['sync', 'order']) {
  results[`control ${broken}`] = await runDayCuts({ cuts: Math.min(cuts, 0.5), seed, broken });
  console.log(`control, ${controls[broken]}: ${sentence(results[`control ${broken}`])}`);
}
if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
const failures = ({ lost, doubled, misfiled, unsound, unopenable }) => lost + doubled + misfiled + unsound + unopenable;
const isHeld = ['posix', 'ntfs', 'apfs'].every((system) => failures(results[system]) === 0);
const areNoticed = ['sync', 'order'].every((broken) => failures(results[`control ${broken}`]) > 0);
if (!isHeld || !areNoticed) process.exitCode = 1;

function sentence({ operations, cuts: made, cutsInRecovery, lost, doubled, misfiled, unsound, unopenable }) {
  return (
    `${operations} operations, ${made} power cuts, ${cutsInRecovery} of them with another one during recovery: ` +
    `${lost} lost, ${doubled} doubled, ${misfiled} misfiled, ${unsound} unsound, ${unopenable} not opened`
  );
}
