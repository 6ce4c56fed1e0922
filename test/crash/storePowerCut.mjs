/**
 * Cuts the power of a simulated disk at random moments of a store's life: `node test/crash/storePowerCut.mjs [--states 5000] [--seed 1]
 * [--json FILE]`. Fails when anything acknowledged was lost, or when a disk that lies about syncing goes unnoticed.
 */
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { importTypeScript } from '../../scripts/typescriptModule.mjs';

const { values } = parseArgs({
  options: {
    states: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const { runPowerCuts, testSqlite } = await importTypeScript('test/crash/powerCuts.ts');
const sqlite = await testSqlite();
const [states, seed] = [Number(values.states), Number(values.seed)];
const controlStates = Math.ceil(states / 10);
const result = {
  promised: runPowerCuts(sqlite, { states, seed }),
  lyingDisk: runPowerCuts(sqlite, { states: controlStates, seed, honestSync: false }),
  synchronousNormal: runPowerCuts(sqlite, { states: controlStates, seed, synchronous: 'NORMAL' }),
};
console.log(JSON.stringify(result, null, 2));
if (values.json !== undefined) fs.writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
const { lost, partial, corrupt, unopenable } = result.promised;
const unnoticed = result.lyingDisk.lost + result.lyingDisk.unopenable === 0 || result.synchronousNormal.lost === 0;
if (lost + partial + corrupt + unopenable > 0 || unnoticed) process.exitCode = 1;
