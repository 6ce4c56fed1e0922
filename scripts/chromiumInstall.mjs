/** Finds the browser that drives a VS Code server, and installs Debian's where that is possible without asking
 *  anyone. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Chromium without a window: it takes two thirds of the processor time of one that could have one. By its program, not
 *  by the shell script on PATH that starts it and outlives it. */
const headlessShells = ['/usr/lib/chromium/chromium-headless-shell'];

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge'];

const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of a Chromium-family browser, or undefined. `CHROMIUM_PATH` and `PLAYWRIGHT_CHROMIUM` win over what is on
 *  PATH. */
export function findChromium(env = process.env) {
  const named = env.CHROMIUM_PATH ?? env.PLAYWRIGHT_CHROMIUM;
  if (named) {
    if (!fs.existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, and there is no such file.`);
    return named;
  }
  const folders = (env.PATH ?? '').split(path.delimiter);
  const onPath = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  const candidates = [...headlessShells, ...onPath, ...applications];
  return candidates.find((candidate) => fs.existsSync(candidate));
}

/**
 * @param {(line: string) => void} say where progress goes
 * @returns {Promise<string>} the path of a browser; rejects with what the person can install
 */
export async function ensureChromium(say = console.log) {
  const found = findChromium();
  if (found) return found;
  if (!canInstall()) {
    throw new Error(
      'The tests drive VS Code with Chromium, and none was found. Install Chromium or Chrome, or set ' +
        'CHROMIUM_PATH to one.',
    );
  }
  const problem = install('chromium-headless-shell', say) && install('chromium', say);
  if (problem) throw new Error(problem);
  const installed = findChromium();
  if (!installed) throw new Error('apt-get installed Chromium, but it cannot be found. Set CHROMIUM_PATH to it.');
  return installed;
}

/** Installs the headless shell where it can be and another browser would be taken; without it the tests are slower.
 *  @param {(line: string) => void} say */
export function ensureHeadlessShell(say = console.log) {
  const found = findChromium();
  if (!canInstall() || process.env.CHROMIUM_PATH || (found && headlessShells.includes(found))) return;
  if (install('chromium-headless-shell', say) && found) say(`It cannot be installed; the tests use ${found}.`);
}

const canInstall = () => process.platform === 'linux' && process.getuid?.() === 0 && fs.existsSync('/usr/bin/apt-get');

/** Returns what went wrong, or undefined. */
function install(name, say) {
  say(`Installing ${name} with apt-get (once) …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', name, 'fonts-liberation'],
  ]) {
    const run = spawnSync('apt-get', args, { env, encoding: 'utf8' });
    if (run.status !== 0) return `apt-get ${args[0]} failed:\n${run.stdout}${run.stderr}`;
  }
  return undefined;
}
