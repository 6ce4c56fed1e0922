/**
 * Runs the property tests with random schedules: `npm run properties -- [--runs 5000] [--seed S]`. A failure prints its seed and the smallest
 * schedule that fails; the same seed fails again.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { runs: { type: 'string', default: '5000' }, seed: { type: 'string' } } });
if (!Number.isInteger(Number(values.runs)) || Number(values.runs) < 1) throw new Error(`--runs takes a number, not ${values.runs}`);
const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
console.log(`${values.runs} schedules, seed ${seed}`);
const child = spawn(process.execPath, [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/properties/gatewayTurns.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PROPERTY_RUNS: values.runs, PROPERTY_SEED: seed },
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
