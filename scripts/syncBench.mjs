/**
 * Measures sync with a PostgreSQL on this machine; a part of `npm run bench`, and alone:
 *   node scripts/syncBench.mjs [--messages N] [--json FILE]
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchPackages, installBenchPackages } from './benchPackages.mjs';
import { importTypeScript } from './typescriptModule.mjs';
import { workerBundles } from './workerBundles.mjs';

/** @param {{ messages: number, cutMessages: number, visibleTurns: number, rounds: number }} plan */
export async function measureSync(plan) {
  const named = (/** @type {number} */ count) => count.toLocaleString('en');
  console.log(`\nSync of ${named(plan.messages)} messages with a PostgreSQL on this machine`);
  installBenchPackages();
  const bundles = await workerBundles();
  try {
    const { benchSync } = await importTypeScript('test/bench/sync/syncBench.ts');
    const result = await benchSync(plan, benchPackages, bundles);
    const { cut, visibleMs, turnMs } = result;
    for (const way of ['upload', 'download']) {
      const { seconds, messagesPerSecond, cpuSeconds, memoryMegabytes } = result[way];
      console.log(
        `  first ${way}: ${named(result.messages)} messages in ${seconds} s: ${named(messagesPerSecond)} messages/s, ${cpuSeconds} s of processor time, memory +${memoryMegabytes} MB`,
      );
    }
    console.log(
      `  after a cut: the rest of ${named(cut.messages)} messages in ${cut.seconds} s; ${cut.sentAgain} of ${cut.sentBefore} documents sent again`,
    );
    console.log(
      `  a settled turn on another machine after p50 ${visibleMs.p50} ms, p95 ${visibleMs.p95}, max ${visibleMs.max}`,
    );
    console.log(`  a turn in the store: ${turnMs.withSync} ms, ${turnMs.without} without sync (${turnMs.ratio} ×)`);
    console.log(`  a window that is idle: ${result.idleStatements} statements in 30 s`);
    return result;
  } finally {
    fs.rmSync(bundles, { recursive: true, force: true });
  }
}

/** As many messages as fit into a run of some minutes, or few. @param {boolean} quick */
export const syncPlan = (quick, messages = quick ? 10_000 : 100_000) => ({
  messages,
  cutMessages: quick ? 5_000 : 20_000,
  visibleTurns: quick ? 5 : 20,
  rounds: quick ? 6 : 20,
});

/** Aims of the form “at least” are judged as seconds for the same work. @param {Awaited<ReturnType<typeof measureSync>>} measured */
export function syncAims({ messages, upload, download, cut, visibleMs, turnMs, idleStatements }) {
  const history = `${messages.toLocaleString('en')} messages`;
  const most = Math.round(messages / 1000) / 10;
  return [
    { aim: `first upload of ${history}, s`, value: upload.seconds, most },
    { aim: `first download of ${history}, s`, value: download.seconds, most },
    {
      aim: `memory growth of either, MB`,
      value: Math.max(upload.memoryMegabytes, download.memoryMegabytes),
      most: 300,
    },
    {
      aim: 'documents sent again after a cut, % of those sent',
      value: percent(cut.sentAgain, cut.sentBefore),
      most: 10,
    },
    { aim: 'a settled turn is on another machine, p95 ms', value: visibleMs.p95, most: 1000 },
    { aim: 'a turn in the store with sync, × without', value: turnMs.ratio, most: 1.05 },
    { aim: 'statements of an idle window in 30 s', value: idleStatements, most: 1 },
  ];
}

/** @param {number} part @param {number} whole */
function percent(part, whole) {
  return Math.round((part / whole) * 1000) / 10;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { json: { type: 'string' }, messages: { type: 'string' } } });
  const plan = values.messages === undefined ? syncPlan(true) : syncPlan(false, Number(values.messages));
  const result = await measureSync(plan);
  for (const { aim, value, most } of syncAims(result))
    console.log(`  ${value <= most ? '✓' : '✗'} ${aim}: ${value} (at most ${most})`);
  if (values.json) fs.writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
