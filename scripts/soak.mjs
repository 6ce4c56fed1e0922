/**
 * Works through a long time in minutes and looks for what grows: `npm run soak -- [--turns 10000] [--seed 1] [--leak] [--json FILE]`. Runs
 * turns, 200 switches, 50 compressions and 20 branches with three memory providers, where 5 % of the requests and of the memory calls
 * fail. Fails when memory, handles, threads or the files' bytes for a turn grow, when what was shown is stored otherwise, or when the store is
 * unsound. `--leak`: the control, which leaks at each turn and must fail. `--vscode`: the same look at 500 turns (`--turns`) in a real VS Code, in
 * the extension host and in the pages.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageExtension } from './package.mjs';
import { importTypeScript } from './typescriptModule.mjs';

const { values } = parseArgs({
  options: {
    turns: { type: 'string' },
    seed: { type: 'string', default: '1' },
    leak: { type: 'boolean', default: false },
    vscode: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const json = values.json === undefined ? undefined : path.resolve(values.json);
const [turns, seed] = [Number(values.turns ?? (values.vscode ? 500 : 10_000)), Number(values.seed)];
if (!Number.isInteger(turns) || turns < 100 || !Number.isInteger(seed))
  throw new Error('--turns takes a whole number from 100, --seed a whole number');
process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));
const begin = Date.now();
const { samples, growth, ...done } = values.vscode ? await inVscode() : await inProcess();
console.log(JSON.stringify({ ...done, seconds: Math.round((Date.now() - begin) / 1000) }, null, 2));
for (const { figure, before, after, grows } of growth)
  console.log(
    `${figure}: ${Math.round(before).toLocaleString('en')} → ${Math.round(after).toLocaleString('en')}${grows ? '  GROWS' : ''}`,
  );
if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify({ ...done, growth, samples }, null, 2)}\n`);
if (done.different > 0 || growth.some(({ grows }) => grows)) process.exitCode = 1;
if (values.vscode ? done.integrity !== 'ok' : done.unsound.length > 0) process.exitCode = 1;

async function inProcess() {
  const { growthIn, runSoak } = await importTypeScript('test/soak/soak.ts');
  const result = await runSoak({ turns, seed, leaks: values.leak });
  return { ...result, growth: growthIn(result.samples) };
}

async function inVscode() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-soak-'));
  try {
    const { file } = await packageExtension((line) => console.log(line), folder);
    const { runVscodeSoak } = await importTypeScript('test/soak/vscodeSoak.ts');
    return await runVscodeSoak(turns, file, (line) => console.log(line));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
