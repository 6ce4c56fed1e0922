/**
 * Measures the import of a generated state.db of Hermes Agent; a part of `npm run bench`, and alone:
 *   node scripts/importBench.mjs [--megabytes N] [--json FILE]
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from './typescriptModule.mjs';
import { workerBundles } from './workerBundles.mjs';

/** @param {number} megabytes */
export async function measureImport(megabytes) {
  console.log(`\nImport of a state.db of ${megabytes.toLocaleString('en')} MB`);
  const folder = await workerBundles();
  try {
    const { benchImport } = await importTypeScript('test/bench/importBench.ts');
    const result = await benchImport(megabytes, folder);
    console.log(
      `  ${result.messages.toLocaleString('en')} messages of ${result.sessions} sessions in ${result.seconds} s: ${result.messagesPerSecond.toLocaleString('en')} messages/s, ${result.cpuSeconds} s of processor time; the first session after ${result.firstSessionMs} ms; memory +${result.memoryMegabytes} MB; the calling thread waited at most ${result.longestStallMs} ms; the store has ${result.storeMegabytes} MB; native SQLite writes the same rows in ${result.nativeSeconds} s`,
    );
    return result;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {Awaited<ReturnType<typeof measureImport>>} measured */
export function importAims({ megabytes, seconds, nativeSeconds, memoryMegabytes, longestStallMs }) {
  const what = `an import of ${megabytes.toLocaleString('en')} MB`;
  return [
    {
      aim: `${what}, times the writing of the same rows by native SQLite`,
      value: Math.round((seconds / nativeSeconds) * 10) / 10,
      most: 3,
    },
    { aim: `${what}, memory growth in MB`, value: memoryMegabytes, most: 300 },
    { aim: `${what} keeps the calling thread from its turn, max ms`, value: longestStallMs, most: 250 },
  ];
}

/** @param {number} files */
export async function measureRescue(files) {
  console.log(`\nSearch for changes among ${files.toLocaleString('en')} sessions of another agent`);
  const { benchRescue } = await importTypeScript('test/bench/rescueBench.ts');
  const result = await benchRescue(files);
  console.log(
    `  ${result.calls.toLocaleString('en')} calls of the file system, ${result.cpuSeconds} s of processor time: ${result.percentOfCore} % of a core at the pace of a search`,
  );
  return result;
}

/** @param {Awaited<ReturnType<typeof measureRescue>>} measured */
export function rescueAims({ files, percentOfCore }) {
  const aim = `search for changes among ${files.toLocaleString('en')} sessions of another agent, % of a core`;
  return [{ aim, value: percentOfCore, most: 1 }];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { json: { type: 'string' }, megabytes: { type: 'string', default: '100' } },
  });
  const result = await measureImport(Number(values.megabytes));
  if (values.json) fs.writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
