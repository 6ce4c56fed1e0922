/**
 * `npm run check`: types, lint, and the fast tests of what changed since `main`, in under a minute. Of many related
 * test files it runs the closest ones and says so; `npm test` runs them all.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './packagesInstall.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** So many test files take about half a minute. */
const MOST_FILES = 60;

await ensurePackages();
const changed = changedFiles();
if (changed.length === 0) {
  console.log('Nothing has changed since main.');
  process.exit(0);
}
console.log(`${changed.length} changed files`);
const scripts = changed.filter((file) => /\.(ts|tsx|mts|mjs)$/.test(file));
const styled = changed.filter((file) => /\.(ts|tsx|mts|mjs|css)$/.test(file));
const eslint = ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', '--no-warn-ignored', ...scripts];
const codes = await Promise.all([
  node(['scripts/typecheck.mjs']),
  scripts.length > 0 ? node(eslint) : 0,
  styled.length > 0 ? node(['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', ...styled]) : 0,
]);
const failed = codes.some((code) => code !== 0) || !(await testsPass(scripts));
process.exit(failed ? 1 : 0);

/** Files that differ from where this branch left `main`, committed or not. On `main` itself: from what was last pushed.
 */
function changedFiles() {
  const onMain = git('rev-parse', '--abbrev-ref', 'HEAD') === 'main';
  const origin = git('merge-base', 'HEAD', 'origin/main');
  const base = (onMain ? origin : git('merge-base', 'HEAD', 'main') || origin) || 'HEAD';
  const names = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')].join('\n');
  return [...new Set(names.split('\n'))].filter((name) => name !== '' && fs.existsSync(path.join(root, name)));
}

/** What git prints; nothing when it fails. */
function git(...args) {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? '';
}

function node(args) {
  return new Promise((resolve) => {
    spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }).on('exit', (code) => resolve(code ?? 1));
  });
}

async function testsPass(files) {
  const found = await relatedTests(files);
  const chosen = closest(found, files).slice(0, MOST_FILES);
  console.log(
    `${found.length} related test files${found.length > chosen.length ? `; the closest ${chosen.length} run` : ''}`,
  );
  if (chosen.length === 0) return true;
  return (await node(['node_modules/vitest/vitest.mjs', 'run', '--project', 'fast', ...chosen])) === 0;
}

/** Fast test files that import one of these, however far away. */
async function relatedTests(files) {
  const { createVitest } = await import('vitest/node');
  const related = files.map((file) => path.join(root, file));
  const vitest = await createVitest('test', { root, watch: false, related, project: ['fast'] });
  try {
    const found = await vitest.getRelevantTestSpecifications();
    return found.map(({ moduleId }) => path.relative(root, moduleId).replaceAll('\\', '/'));
  } finally {
    await vitest.close();
  }
}

/** Test files whose folder is most like that of a changed file come first. */
function closest(tests, files) {
  const foldersOf = (file) => file.replace(/^(src|test\/unit|test)\//, '').split('/');
  const changedFolders = files.map(foldersOf);
  const shared = (test) => {
    const own = foldersOf(test);
    return Math.max(...changedFolders.map((each) => own.filter((part, at) => part === each[at]).length));
  };
  return [...tests].sort((a, b) => shared(b) - shared(a));
}
