/**
 * `npm run watch`: bundles and checks types again at each change. The lines that begin with [watch] tell the editor
 * when a round begins and ends (.vscode/tasks.json).
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { ensurePackages } from './packagesInstall.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const compiler = path.join(root, 'node_modules/typescript7/bin/tsc');

/** Says when the first of several works begins, and when the last has ended. @param {string} what */
function rounds(what) {
  let running = 0;
  return {
    begin: () => void (running++ === 0 && console.log(`[watch] ${what} started`)),
    end: () => void (--running === 0 && console.log(`[watch] ${what} finished`)),
  };
}

await ensurePackages();
const types = rounds('types');
for (const project of ['tsconfig.json', 'src/webview/tsconfig.json', 'test/tsconfig.json']) watchTypes(project);
await build({ watch: true, rounds: rounds('build') });

function watchTypes(project) {
  const args = [compiler, '-p', project, '--watch', '--preserveWatchOutput', '--pretty', 'false'];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (/ - (Starting compilation|File change detected)/.test(line)) types.begin();
    else if (/ - Found \d+ errors?\./.test(line)) types.end();
    else if (line !== '') console.log(line);
  });
}
