/** Makes sure that node_modules is what package-lock.json says. Uses nothing but Node: it runs on a fresh clone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** @param {(line: string) => void} say where progress goes */
export async function ensurePackages(say = console.log) {
  const reason = outdated();
  if (!reason) return;
  say(`Installing what builds and tests the extension (npm ci, 650 MB, about a minute), because ${reason} …`);
  await npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], root);
}

/** Runs npm in a folder, and ends it when this process is told to end. Rejects with what it printed when it fails. */
export async function npm(args, cwd) {
  const child = spawn('npm', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const end = () => {
    child.kill();
    process.exit(143);
  };
  process.once('SIGTERM', end);
  const [code] = await once(child, 'close').finally(() => process.off('SIGTERM', end));
  if (code !== 0) throw new Error(`npm ${args[0]} in ${cwd} failed (${code}):\n${output}`);
}

/** Why the installed packages are not those of the lock file, or undefined. npm writes what it installed at the end of
 *  an install. */
function outdated() {
  const installed = path.join(root, 'node_modules/.package-lock.json');
  if (!fs.existsSync(installed)) return 'it is not installed';
  const wanted = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(fs.readFileSync(installed, 'utf8')).packages;
  const name = Object.keys(wanted).find(
    (key) =>
      key !== '' && !wanted[key].optional && !wanted[key].devOptional && present[key]?.version !== wanted[key].version,
  );
  return name && `${name.replace(/^.*node_modules\//, '')} ${wanted[name].version} is not installed`;
}
