/**
 * Runs the tests, on a fresh clone as well: installs what they need and says so. A failing layer does not stop the
 * later ones. The last line is `N passed, N failed`; a layer that fails without a failed test (a type error, a crash)
 * counts as one.
 *   `npm test`               the layers that carry the promise
 *   `npm run test:all`       all layers. A file that fails is run once more, alone; if it passes then, it is unsteady
 *   `--rest`                 with test:all: what `npm test` leaves out; the counts of its last run are added
 *   `--shard 1/4`            with test:all: the first of four parts
 *   `--only fast,slow`       some of the layers (scripts/testLayers.mjs)
 * How the tests are organized: docs/testing.md.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensurePackages } from './packagesInstall.mjs';
import { endWithThisProcess, run } from './processGroups.mjs';
import { layers, packagedExtension, root, vitestCommand } from './testLayers.mjs';
import { readReport, summary } from './testReport.mjs';

const reports = path.join(root, '.vscode-test/reports');
const promiseResult = path.join(root, '.vscode-test/promise.json');
const say = (line) => console.log(line);

/** A layer that prints nothing for so long hangs. */
const HANG_MS = 15 * 60_000 * Math.max(1, Number(process.env.HERMES_TEST_PATIENCE) || 1);

/** What a fast file may take alone, on a quiet machine. */
const FAST_FILE_MS = 5_000;

const { values: options } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    rest: { type: 'boolean', default: false },
    shard: { type: 'string' },
    only: { type: 'string' },
  },
});
const shard = parseShard(options.shard);
const chosen = chooseLayers();
const started = Date.now();
endWithThisProcess();
say(`Node ${process.versions.node}`);
try {
  await ensurePackages(say);
} catch (error) {
  console.error(error.message);
  say('0 passed, 1 failed');
  process.exit(1);
}
fs.rmSync(reports, { recursive: true, force: true });
fs.mkdirSync(reports, { recursive: true });

const results = options.rest ? [...promised()] : [];
for (const group of together(chosen)) results.push(...(await Promise.all(group.map(runLayer))));
say(summary(results, { ms: Date.now() - started, slowest: options.all ? 20 : 0 }));
if (!options.all && !options.only)
  fs.writeFileSync(
    promiseResult,
    JSON.stringify(results, (key, value) => (key === 'files' ? undefined : value)),
  );
process.exit(results.some(({ failed }) => failed > 0) ? 1 : 0);

function parseShard(text) {
  if (text === undefined) return undefined;
  const [index, count] = text.split('/').map(Number);
  if (!(Number.isInteger(index) && Number.isInteger(count) && index >= 1 && index <= count))
    throw new Error(`--shard takes a part and a number of parts, such as 1/4; got ${text}`);
  return { index, count };
}

function chooseLayers() {
  const names = options.only?.split(',');
  const unknown = names?.filter((name) => !layers.some((layer) => layer.name === name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`There is no layer ${unknown.join(', ')}; there are ${layers.map(({ name }) => name).join(', ')}`);
  const wanted = layers.filter(({ name, promise, optional }) => {
    if (names) return names.includes(name);
    if (optional) return false;
    return options.rest ? !promise : promise || options.all;
  });
  // What cannot be cut belongs to one part as a whole.
  let whole = 0;
  return wanted.filter((layer) => !shard || layer.suite?.().split || whole++ % shard.count === shard.index - 1);
}

/** The layers in the groups that run at the same time. */
function together(all) {
  const groups = [];
  for (const layer of all) {
    if (layer.beside && groups.length > 0) groups.at(-1).push(layer);
    else groups.push([layer]);
  }
  return groups;
}

/** The results of the last `npm test`. */
function promised() {
  if (!fs.existsSync(promiseResult)) return [];
  return JSON.parse(fs.readFileSync(promiseResult, 'utf8'));
}

/** @returns {Promise<import('./testReport.mjs').LayerResult>} */
async function runLayer(layer) {
  const { name } = layer;
  const reason = layer.skip?.();
  if (reason) return { name, passed: 0, failed: 0, ms: 0, note: `not run: ${reason}` };
  say(`\n── ${name} ${'─'.repeat(70 - name.length)}`);
  const begin = Date.now();
  try {
    await layer.prepare?.();
    const result = layer.commands ? await runCommands(layer) : await runSuite(layer);
    return { name, ...result, ms: Date.now() - begin };
  } catch (error) {
    console.error(error.message);
    return { name, passed: 0, failed: 1, note: error.message.split('\n')[0], ms: Date.now() - begin };
  }
}

async function runCommands(layer) {
  for (const command of layer.commands()) {
    const { code } = await run(command, { cwd: root, hangMs: HANG_MS });
    if (code !== 0) return { passed: 0, failed: 1, note: `exit code ${code}` };
  }
  return { passed: 0, failed: 0 };
}

async function runSuite(layer) {
  const report = path.join(reports, `${layer.name}.json`);
  const suite = layer.suite?.();
  const part = shard && suite?.split ? `${shard.index}/${shard.count}` : undefined;
  const command = suite ? vitestCommand(suite, report, { shard: part }) : layer.hostSuite(report);
  const { code } = await run(command, { cwd: root, hangMs: HANG_MS, env: environment() });
  const counts = readReport(report, root);
  const judged = await judge(suite, counts);
  const failed = judged.failed === 0 && (counts.problem ?? (code !== 0 && !judged.unsteady)) ? 1 : judged.failed;
  const note = counts.problem ?? (code !== 0 && failed > 0 ? `exit code ${code}` : undefined);
  return { ...judged, failed, note, files: counts.files };
}

/** Tries again what failed, in `test:all`, and what took too long for a fast file. */
async function judge(suite, { passed, failed, failures, files }) {
  const result = { passed, failed, failures: [...failures] };
  if (!suite) return result;
  for (const { file } of options.all ? files.filter((each) => each.failed) : []) {
    const again = await runAlone(suite, file);
    if (again.failed > 0 || again.problem) continue;
    const first = failures.filter((failure) => failure.startsWith(file));
    const kept = path.join(reports, `unsteady-${path.basename(file)}.txt`);
    fs.writeFileSync(kept, `${first.join('\n\n')}\n\nAlone it passed:\n${fs.readFileSync(again.output, 'utf8')}`);
    (result.unsteady ??= []).push(`${file}: ${path.relative(root, kept)}`);
    result.failures = result.failures.filter((failure) => !first.includes(failure));
    result.failed -= first.length;
    result.passed += first.length;
  }
  // Other programs take their share of the processors.
  const limit = FAST_FILE_MS * Math.max(1, os.loadavg()[0] / os.availableParallelism());
  for (const { file, ms } of suite.args.includes('fast') ? files : []) {
    if (ms <= limit) continue;
    const alone = await runAlone(suite, file);
    if ((alone.files[0]?.ms ?? 0) <= limit) continue;
    result.failed++;
    const seconds = (alone.files[0].ms / 1000).toFixed(1);
    result.failures.push(`${file}\n    takes ${seconds} s alone, more than a fast file may: name it *.slow.test.ts`);
  }
  return result;
}

async function runAlone(suite, file) {
  const name = path.basename(file);
  say(`\n${file} again, alone`);
  const report = path.join(reports, `alone-${name}.json`);
  const output = path.join(reports, `alone-${name}.txt`);
  await run(vitestCommand(suite, report, { only: [file] }), { cwd: root, hangMs: HANG_MS, env: environment(), output });
  return { ...readReport(report, root), output };
}

/** Tests in VS Code take the package that was built, and pack it themselves when there was none. */
function environment() {
  return chosen.some(({ name }) => name === 'package') ? { HERMES_VSIX: packagedExtension() } : {};
}
