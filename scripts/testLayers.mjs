/**
 * The layers of the tests, in the order in which they run. `promise: true` makes a layer part of `npm test`; `npm run
 * test:all` runs them all. A layer has `commands` (each ends with 0), or a `suite` (a run of vitest or of the extension
 * host that leaves a report).
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureChromium, ensureHeadlessShell } from './chromiumInstall.mjs';
import { ensureFonts } from './fontsInstall.mjs';
import { ensureSandbox, sandboxProblem } from './sandboxInstall.mjs';
import { ensureVscode, installedNode24 } from './vscodeInstall.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const bin = (file) => path.join(root, 'node_modules', file);
const say = (line) => console.log(line);

/** Suites of floors whose code runs inside VS Code's extension host, which has a newer Node than the oldest we support.
 */
const hostFloors = ['store', 'models', 'agent'];

/** The three files that show the promise in a real VS Code. */
const promiseInVscode = ['smoke', 'mainJob', 'pullThePlug'];

/** Folders of slow files that need nothing but a browser. */
const slowFolders = ['unit', 'conformance', 'properties', 'faults', 'fuzz'];

const e2eConfig = ['--config', 'test/e2e/vitest.config.mts'];

/**
 * @typedef {object} Suite a run of vitest
 * @property {string[]} args what vitest runs
 * @property {string} [node] the Node to run it with; default: this one
 * @property {boolean} [split] `--shard` cuts it. Default: it belongs to one shard as a whole
 *
 * @typedef {object} Layer
 * @property {string} name
 * @property {boolean} [promise] part of `npm test`
 * @property {boolean} [optional] runs only when named with `--only`
 * @property {boolean} [beside] runs at the same time as the layer before it, which leaves a processor idle
 * @property {() => unknown} [prepare] installs what the layer needs
 * @property {() => string | undefined} [skip] why there is nothing to do here
 * @property {() => string[][]} [commands]
 * @property {() => Suite} [suite]
 * @property {(report: string) => string[]} [hostSuite] a command that leaves its own report
 */

/** @type {Layer[]} */
export const layers = [
  { name: 'types', promise: true, commands: () => [[process.execPath, 'scripts/typecheck.mjs']] },
  { name: 'lint', promise: true, beside: true, commands: () => [[process.execPath, 'scripts/lint.mjs']] },
  { name: 'fast', promise: true, suite: () => ({ args: ['--project', 'fast'], split: true }) },
  {
    name: 'sandboxSmoke',
    promise: true,
    skip: withoutSandbox,
    suite: () => ({ args: ['--project', 'slow', 'test/sandbox/smoke'] }),
  },
  { name: 'package', promise: true, commands: () => [[process.execPath, 'scripts/package.mjs']] },
  {
    name: 'vscode',
    promise: true,
    prepare: prepareVscode,
    suite: () => ({ args: [...e2eConfig, ...promiseInVscode.map((name) => `test/e2e/${name}.e2e.ts`)] }),
  },
  {
    name: 'slow',
    prepare: () => (ensureFonts(say), prepareBrowser()),
    suite: () => ({ args: ['--project', 'slow', ...slowFolders.map((name) => `test/${name}/`)], split: true }),
  },
  {
    name: 'sandbox',
    skip: withoutSandbox,
    suite: () => ({ args: ['--project', 'slow', 'test/sandbox/'] }),
  },
  { name: 'postgres', beside: true, suite: () => ({ args: ['--project', 'slow', 'test/postgres/'] }) },
  {
    name: 'lab',
    skip: () => (process.platform === 'linux' ? undefined : 'a soak reads /proc'),
    suite: () => ({ args: ['--config', 'lab/vitest.config.mts'] }),
  },
  {
    name: 'host',
    prepare: prepareVscode,
    hostSuite: (report) => [process.execPath, 'scripts/hostSuite.mjs', '--report', report],
  },
  {
    name: 'e2e',
    prepare: prepareVscode,
    suite: () => ({
      args: [...e2eConfig, ...promiseInVscode.flatMap((name) => ['--exclude', `test/e2e/${name}.e2e.ts`])],
      split: true,
    }),
  },
  {
    name: 'node24',
    optional: true,
    prepare: () => ensureVscode(say),
    suite: () => ({ node: node24(), args: hostFloors.map((name) => `test/unit/${name}/`) }),
  },
];

/** The command that runs a suite and leaves a report. `only`: files to run in place of all. */
export function vitestCommand({ args, node = process.execPath }, report, { shard, only } = {}) {
  return [
    node,
    bin('vitest/vitest.mjs'),
    'run',
    ...(only ? [...withoutFiles(args), ...only] : args),
    ...(shard ? [`--shard=${shard}`, '--passWithNoTests'] : []),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
}

/** The arguments without the names of files: to run some others with the same settings. */
function withoutFiles(args) {
  return args.filter((arg, at) => arg.startsWith('--') || args[at - 1]?.startsWith('--'));
}

/** Where the `package` layer leaves the extension. */
export function packagedExtension() {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  return path.join(root, `${name}-${version}.vsix`);
}

function withoutSandbox() {
  ensureSandbox(say);
  return sandboxProblem();
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
