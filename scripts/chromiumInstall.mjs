/** Finds the browser that drives a VS Code server, and installs Debian's where that is possible without asking anyone. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge'];

const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of a Chromium-family browser, or undefined. `CHROMIUM_PATH` and `PLAYWRIGHT_CHROMIUM` win over what is on PATH. */
export function findChromium(env = process.env) {
  const named = env.CHROMIUM_PATH ?? env.PLAYWRIGHT_CHROMIUM;
  if (named) {
    if (!fs.existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, and there is no such file.`);
    return named;
  }
  const folders = (env.PATH ?? '').split(path.delimiter);
  const candidates = [...names.flatMap((name) => folders.map((folder) => path.join(folder, name))), ...applications];
  return candidates.find((candidate) => fs.existsSync(candidate));
}

/**
 * @param {(line: string) => void} say where progress goes
 * @returns {Promise<string>} the path of a browser; rejects with what the person can install
 */
export async function ensureChromium(say = console.log) {
  const found = findChromium();
  if (found) return found;
  const canInstall = process.platform === 'linux' && process.getuid?.() === 0 && fs.existsSync('/usr/bin/apt-get');
  if (!canInstall) {
    throw new Error(
      'The tests drive VS Code with Chromium, and none was found. Install Chromium or Chrome, or set CHROMIUM_PATH to one.',
    );
  }
  say('Installing Chromium with apt-get (once) …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', 'chromium', 'fonts-liberation'],
  ]) {
    const run = spawnSync('apt-get', args, { env, encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`apt-get ${args[0]} failed:\n${run.stdout}${run.stderr}`);
  }
  const installed = findChromium();
  if (!installed) throw new Error('apt-get installed chromium, but no browser is on PATH. Set CHROMIUM_PATH to one.');
  return installed;
}
