/**
 * Measures how long a prompt takes to the model; a part of `npm run bench`, and alone:
 *   node scripts/promptBench.mjs [--rounds N] [--turns N] [--json FILE]
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from './typescriptModule.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** @param {number} rounds @param {number} turns Of the long session. */
export async function measurePrompts(rounds, turns) {
  console.log(`\nA prompt's way to the model, in an empty session and behind ${turns} turns of 4 KB`);
  const { benchPrompts } = await importTypeScript('test/bench/promptBench.ts');
  /** @type {import('../test/bench/promptBench').PromptFigures} */
  const figures = await benchPrompts(rounds, turns);
  for (const name of /** @type {const} */ (['empty', 'long']))
    console.log(`  ${name}: p50 ${quantile(figures[name], 0.5)} ms, p95 ${quantile(figures[name], 0.95)}`);
  return figures;
}

/** @param {Awaited<ReturnType<typeof measurePrompts>>} figures */
export function promptAims({ turns, empty, long }) {
  return [
    {
      aim: `a prompt behind ${turns} turns: from Enter to the request, ms more than in an empty session (p50)`,
      value: Math.round((quantile(long, 0.5) - quantile(empty, 0.5)) * 10) / 10,
      most: 15,
    },
  ];
}

/** @param {readonly number[]} values @param {number} part */
function quantile(values, part) {
  const sorted = [...values].sort((left, right) => left - right);
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0) * 10) / 10;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '40' },
      turns: { type: 'string', default: '100' },
      json: { type: 'string' },
    },
  });
  const json = values.json === undefined ? undefined : path.resolve(values.json);
  process.chdir(root);
  const measured = await measurePrompts(Number(values.rounds), Number(values.turns));
  for (const { aim, value, most } of promptAims(measured))
    console.log(`  ${value <= most ? '✓' : '✗'} ${aim}: ${value} (at most ${most})`);
  if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify(measured, null, 2)}\n`);
}
