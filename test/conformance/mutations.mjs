/**
 * Switches off one guard at a time in a copy of the tree and prints which tests fail without it: `npm run mutations -- [--list] [NAME …]`.
 * A NAME selects the guards whose name or file of guards contains it. Prints one table row per guard. Runs nothing when a guard is stale.
 * Fails when a guard can be switched off and no test notices, and when a test fails with every guard in place.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readGuards, staleGuards, testFilesOf, withoutGuard } from './guardTable.mjs';

const copied = [
  'src',
  'test',
  'docs',
  'scripts',
  'l10n',
  'media',
  'package.json',
  'package.nls.json',
  'tsconfig.json',
  'vitest.config.mts',
];
/** Whole editors, which no test here needs. */
const editors = join('test', 'vscode');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
});
const root = resolve(fileURLToPath(import.meta.url), '../../..');
const guards = await readGuards(root);
const stale = staleGuards(guards, root);
const chosen = guards.filter(
  ({ name, file }) =>
    positionals.length === 0 || positionals.some((asked) => name.includes(asked) || file.includes(asked)),
);

if (stale.length > 0) {
  console.error(`Stale guards, which name what is no longer there (nothing was run):\n  ${stale.join('\n  ')}`);
  process.exitCode = 1;
} else if (chosen.length === 0) {
  console.error(`No guard is named like ${positionals.join(', ')}. All names: npm run mutations -- --list`);
  process.exitCode = 1;
} else if (values.list) {
  for (const { name, file } of chosen) console.log(`${name} (${file})`);
} else {
  process.exitCode = runAll() ? 0 : 1;
}

/** Returns whether each guard is needed. */
function runAll() {
  const copy = copyOfTree();
  try {
    // A test that fails anyway would pass for one that notices.
    const failing = failed(copy, [...new Set(chosen.flatMap((guard) => testFilesOf(guard, root)))]);
    for (const title of failing) console.error(`Fails with every guard in place, and is not counted: ${title}`);
    let unnoticed = 0;
    for (const guard of chosen) {
      const noticing = switchedOff(copy, guard).filter((title) => !failing.includes(title));
      if (noticing.length === 0) unnoticed++;
      console.log(
        `| ${guard.name} | \`${guard.file}\` | ${noticing.length === 0 ? '**none**' : noticing.join('; ')} |`,
      );
    }
    console.log(`${chosen.length} guards, ${unnoticed} unnoticed`);
    return unnoticed === 0 && failing.length === 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function copyOfTree() {
  const copy = mkdtempSync(join(tmpdir(), 'hermes-mutation-'));
  for (const name of copied.filter((entry) => existsSync(join(root, entry)))) {
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: (source) => source !== join(root, editors) });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The tests that fail without the guard. */
function switchedOff(copy, guard) {
  const file = join(copy, guard.file);
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, withoutGuard(guard, root));
  try {
    return failed(copy, testFilesOf(guard, root));
  } finally {
    writeFileSync(file, whole);
  }
}

/** The titles of the tests of these files that fail. Throws when a file could not be run at all: that is no test that noticed. */
function failed(copy, tests) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const { stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...tests,
      '--reporter=json',
      `--outputFile=${report}`,
      '--testTimeout=15000',
    ],
    {
      cwd: copy,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    },
  );
  if (!existsSync(report)) throw new Error(`The tests could not be run: ${stderr}`);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const unread = testResults.find(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((result) => result.status !== 'failed'),
  );
  if (unread !== undefined) throw new Error(`${unread.name} could not be run: ${unread.message}`);
  return [
    ...new Set(
      testResults.flatMap(({ assertionResults }) =>
        assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title),
      ),
    ),
  ];
}
