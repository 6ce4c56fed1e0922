/**
 * Measures the chat view as it is shipped, in a real Chromium; a part of `npm run bench`, and alone:
 *   npm run bench -- --view [--quick] [--json FILE] [--only ROW]
 * What the rows mean: docs/benchmarks.md.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { webviewLoaders } from './build.mjs';
import { importTypeScript } from './typescriptModule.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const views = ['chat', 'transcript', 'search'];

/** Rows that take a second each; the others stream for half a minute and more. */
const quickRows = ['firstPaint', 'flood', 'keys', 'bytes'];

/** @param {{ quick: boolean, only?: string }} options */
export async function measureView({ quick, only }) {
  console.log('\nThe chat view');
  const plan = {
    rounds: quick ? 2 : 5,
    turns: quick ? 200 : 1_000,
    floodMs: quick ? 2_000 : 4_000,
    keystrokes: quick ? 30 : 120,
    rows: only === undefined ? (quick ? quickRows : null) : [only],
  };
  const { measureChatView } = await importTypeScript('test/bench/view/viewBench.ts');
  /** @type {import('../test/bench/view/viewBench').ViewFigures} */
  const figures = await measureChatView(plan);
  const wanted = (/** @type {string} */ row) => plan.rows === null || plan.rows.includes(row);
  const host = wanted('firstPaint') ? await hostFirstPage(quick) : undefined;
  const bytes = wanted('bytes') ? await packedBytes() : undefined;
  const result = { plan, host, bytes, ...figures };
  printView(result);
  return result;
}

/** @param {Awaited<ReturnType<typeof measureView>>} view */
export function viewAims({ host, bytes, firstPaint, streamed, flood, keys, turns, long }) {
  const aims = [];
  if (firstPaint && host)
    aims.push({
      aim: `first paint of a session of ${host.turns.toLocaleString('en')} turns behind ready (host + view), p50 ms`,
      value: tenth(middle(host.ms) + middle(firstPaint.ms)),
      most: 200,
    });
  if (streamed)
    aims.push({
      aim: '50 KB answer in 63 pieces, one each 80 ms: work of the page, less the messages themselves, × drawing it once',
      value: tenth((workOf(streamed.markdown) - workOf(streamed.messages)) / workOf(streamed.once)),
      most: 2,
    });
  if (flood)
    aims.push({
      aim: '2,000 deltas a second: work in one frame, max ms',
      value: tenth(Math.max(...flood.frameWork)),
      most: 50,
    });
  if (keys)
    aims.push({
      aim: 'keystroke until painted while an answer streams: work of the page, p95 ms',
      value: tenth(quantile(keys.work, 0.95)),
      most: 16,
    });
  if (turns) {
    // A view lets go of what is far away once there is enough of it.
    const [half, last] = [turns[Math.floor(turns.length / 2) - 1], turns.at(-1)];
    aims.push({
      aim: `elements and texts in the page after ${last.turns.toLocaleString('en')} turns, × those after ${half.turns}`,
      value: tenth(last.nodes / half.nodes),
      most: 1.2,
    });
    aims.push({
      aim: `memory of the page after ${last.turns.toLocaleString('en')} turns, × that after ${half.turns}`,
      value: tenth(last.heapKb / half.heapKb),
      most: 1.2,
    });
  }
  for (const [what, { stored, streamed: told }] of Object.entries(long ?? {})) {
    aims.push({
      aim: `3 MB answer (${what}): longest task of the page as it is opened or streams, ms of work`,
      value: tenth(Math.max(stored.longest, told.longest)),
      most: 200,
    });
  }
  for (const [name, { all }] of Object.entries(bytes ?? {}))
    aims.push({ aim: `${name} view packed (gzip; grammars apart), bytes`, value: all, most: 90 * 1024 });
  return aims;
}

function printView({ host, bytes, firstPaint, streamed, flood, keys, turns, long }) {
  if (firstPaint)
    console.log(
      `  first paint: view p50 ${tenth(middle(firstPaint.ms))} ms, max ${tenth(Math.max(...firstPaint.ms))}, work p50 ${tenth(middle(firstPaint.work))}${host ? `; host p50 ${tenth(middle(host.ms))} ms, max ${tenth(Math.max(...host.ms))}` : ''}`,
    );
  for (const [what, rounds] of Object.entries(streamed ?? {})) {
    const of = (/** @type {'script' | 'layout' | 'style' | 'all'} */ name) =>
      tenth(middle(rounds.map((one) => one[name])));
    console.log(
      `  50 KB, ${what.padEnd(8)}  script ${of('script')} ms, layout ${of('layout')}, style ${of('style')}, all ${of('all')}`,
    );
  }
  if (flood)
    console.log(
      `  ${flood.deltas.toLocaleString('en')} deltas at 2,000 a second: work of a frame p50 ${tenth(middle(flood.frameWork))} ms, p99 ${tenth(quantile(flood.frameWork, 0.99))}, max ${tenth(Math.max(...flood.frameWork))}; longest task ${tenth(flood.longestTask)}`,
    );
  if (keys)
    console.log(
      `  ${keys.ms.length} keystrokes while an answer streams: until painted p50 ${tenth(middle(keys.ms))} ms, p95 ${tenth(quantile(keys.ms, 0.95))}; work in between p50 ${tenth(middle(keys.work))}, p95 ${tenth(quantile(keys.work, 0.95))}, max ${tenth(Math.max(...keys.work))}`,
    );
  for (const [name, { first, all }] of Object.entries(bytes ?? {}))
    console.log(`  ${name} view packed: ${first} bytes before it is painted, ${all} in all`);
  for (const [what, { stored, streamed: told }] of Object.entries(long ?? {}))
    console.log(
      `  3 MB, ${what.padEnd(8)}  opened: longest task ${tenth(stored.longest)} ms of work (${tenth(stored.seen)} by the clock), all ${tenth(stored.all)}; streamed: longest ${tenth(told.longest)} (${tenth(told.seen)}), all ${tenth(told.all)}`,
    );
  for (const { turns: count, nodes, heapKb } of turns ?? [])
    console.log(`  after ${String(count).padStart(5)} turns: ${nodes} nodes, ${tenth(heapKb / 1024)} MB`);
}

/** @param {boolean} quick */
async function hostFirstPage(quick) {
  const { measureHostFirstPage } = await importTypeScript('test/bench/view/hostFirstPage.ts');
  const turns = quick ? 1_000 : 10_000;
  /** @type {readonly number[]} */
  const ms = await measureHostFirstPage(turns, quick ? 5 : 15);
  return { turns, ms };
}

/** Of each view, what it loads before it is painted (`first`), and what it may ever load but the grammars that colour code and what shows formulas (`all`). */
async function packedBytes() {
  const { build } = await import('esbuild');
  /** @type {Record<string, { first: number, all: number }>} */
  const sizes = {};
  for (const view of views) {
    const { outputFiles, metafile } = await build({
      absWorkingDir: root,
      entryPoints: [`src/webview/${view}/main.tsx`],
      outdir: 'out',
      bundle: true,
      minify: true,
      write: false,
      splitting: true,
      format: 'esm',
      target: 'es2022',
      loader: webviewLoaders,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      define: { 'process.env.NODE_ENV': '"production"' },
      legalComments: 'none',
      logLevel: 'silent',
      metafile: true,
    });
    const own = outputFiles.filter(({ path: file }) => !/^(?:languages-|formulas-|KaTeX_)/.test(path.basename(file)));
    const early = importedAtOnce(metafile, 'out/main.js');
    const packed = (/** @type {typeof own} */ files) =>
      files.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
    sizes[view] = {
      first: packed(own.filter(({ path: file }) => file.endsWith('.css') || early.has(path.relative(root, file)))),
      all: packed(own),
    };
  }
  return sizes;
}

/** A file and what it imports without being asked. @param {import('esbuild').Metafile} metafile @param {string} file @returns {Set<string>} */
function importedAtOnce(metafile, file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const { path: imported, kind } of metafile.outputs[file]?.imports ?? [])
    if (kind === 'import-statement') importedAtOnce(metafile, imported, found);
  return found;
}

/** @param {readonly { all: number }[]} rounds */
function workOf(rounds) {
  return middle(rounds.map(({ all }) => all));
}

/** @param {readonly number[]} values */
function middle(values) {
  return quantile(values, 0.5);
}

/** @param {readonly number[]} values @param {number} part */
function quantile(values, part) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

/** @param {number} value */
function tenth(value) {
  return Math.round(value * 10) / 10;
}

/** @param {{ quick: boolean, json?: string, only?: string }} options */
export async function viewBench({ quick, json, only }) {
  const view = await measureView({ quick, only });
  const aims = viewAims(view).map((aim) => ({ ...aim, met: aim.value <= aim.most }));
  for (const { aim, value, most, met } of aims) console.log(`  ${met ? '✓' : '✗'} ${aim}: ${value} (at most ${most})`);
  if (json) fs.writeFileSync(json, `${JSON.stringify({ ...view, aims }, null, 2)}\n`);
}
