/**
 * Measures text search over a tree of many files, with ripgrep and without; a part of `npm run bench`, and alone:
 *   node scripts/fileSearchBench.mjs [--json FILE] [--quick]
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from './typescriptModule.mjs';
import { ensureVscode } from './vscodeInstall.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** @param {boolean} quick */
export async function measureFileSearch(quick) {
  const files = quick ? 5_000 : 50_000;
  console.log(`\nSearch over ${files.toLocaleString('en')} files`);
  await ensureVscode(() => undefined);
  const { benchFileSearch } = await importTypeScript('test/bench/fileSearchBench.ts');
  const measured = await benchFileSearch(
    files,
    quick ? 3 : 7,
    path.join(root, 'test/vscode/node_modules/code-server/lib/vscode'),
  );
  const result = {
    files,
    ripgrep: measured.ripgrep && summary(measured.ripgrep),
    fallback: summary(measured.fallback),
    idle: quantiles(measured.idle),
  };
  for (const [name, figures] of Object.entries({ ripgrep: result.ripgrep, fallback: result.fallback })) {
    console.log(
      figures
        ? `  ${name.padEnd(8)}  whole p50 ${figures.whole.p50} ms, max ${figures.whole.max}; stopped after p50 ${figures.cancel.p50} ms, max ${figures.cancel.max}; nothing else had its turn for p99 ${figures.stall.p99} ms, max ${figures.stall.max}, computing p99 ${figures.busy.p99}, max ${figures.busy.max}`
        : `  ${name.padEnd(8)}  not found`,
    );
  }
  console.log(`  a process that does nothing: p99 ${result.idle.p99} ms, max ${result.idle.max}`);
  return result;
}

/** @param {Awaited<ReturnType<typeof measureFileSearch>>} search */
export function fileSearchAims({ files, ripgrep, fallback }) {
  const size = files.toLocaleString('en');
  return [
    ...(ripgrep
      ? [{ aim: `a search of ${size} files is stopped (ripgrep), max ms`, value: ripgrep.cancel.max, most: 100 }]
      : []),
    { aim: `a search of ${size} files is stopped (fallback), max ms`, value: fallback.cancel.max, most: 100 },
    { aim: `a search of ${size} files computes at a stretch (fallback), max ms`, value: fallback.busy.max, most: 20 },
  ];
}

/** @param {import('../test/bench/fileSearchBench').FileSearchFigures} figures */
function summary({ whole, cancel, stall, busy }) {
  return { whole: quantiles(whole), cancel: quantiles(cancel), stall: quantiles(stall), busy: quantiles(busy) };
}

/** @param {readonly number[]} values */
function quantiles(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (/** @type {number} */ part) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99), max: at(1), count: sorted.length };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { json: { type: 'string' }, quick: { type: 'boolean', default: false } } });
  const result = await measureFileSearch(values.quick);
  const aims = fileSearchAims(result).map((aim) => ({ ...aim, met: aim.value <= aim.most }));
  for (const { aim, value, most, met } of aims) console.log(`  ${met ? '✓' : '✗'} ${aim}: ${value} (at most ${most})`);
  if (values.json) fs.writeFileSync(values.json, `${JSON.stringify({ ...result, aims }, null, 2)}\n`);
}
