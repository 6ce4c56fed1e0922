/** Makes sure that node_modules is what package-lock.json says. Uses nothing but Node: it runs on a fresh clone. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** @param {(line: string) => void} say where progress goes */
export function ensurePackages(say = console.log) {
  const reason = outdated();
  if (!reason) return;
  say(`Installing packages (npm ci), because ${reason} …`);
  const run = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (run.status !== 0) throw new Error(`npm ci failed:\n${run.stdout}${run.stderr}`);
}

/** Why the installed packages are not those of the lock file, or undefined. npm writes what it installed at the end of
 *  an install. */
function outdated() {
  const installed = path.join(root, 'node_modules/.package-lock.json');
  if (!fs.existsSync(installed)) return 'they are not installed';
  const wanted = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(fs.readFileSync(installed, 'utf8')).packages;
  const name = Object.keys(wanted).find(
    (key) =>
      key !== '' && !wanted[key].optional && !wanted[key].devOptional && present[key]?.version !== wanted[key].version,
  );
  return name && `${name.replace(/^.*node_modules\//, '')} ${wanted[name].version} is not installed`;
}
