/** The extension as it is shipped: how large its package is, and how long a real VS Code takes to load and activate
 *  it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureChromium } from './chromiumInstall.mjs';
import { layOut, pack } from './package.mjs';
import { ensureVscode } from './vscodeInstall.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** What a start keeps for the next one is written ten seconds after it (src/host/start/). */
const untilKeptMs = 20_000;

/**
 * @param {number} runs the median of this many starts is returned
 * @returns {Promise<{ vsixBytes: number, activation: Activation, firstActivation: Activation }>} `firstActivation` is
 * the first start of this version, which compiles what the later ones find
 */
export async function measureShipped(runs) {
  if (process.platform === 'linux' && !process.env.VSCODE_EXECUTABLE) {
    await ensureVscode(console.log);
    await ensureChromium(console.log);
  }
  const session = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-shipped-'));
  try {
    const extension = path.join(session, 'extension');
    await layOut(extension);
    const vsixBytes = await packedSize(extension, path.join(session, 'extension.vsix'));
    const home = path.join(session, 'home');
    const firstActivation = await activateOnce(extension, home, untilKeptMs);
    const measured = [];
    for (let run = 0; run < runs; run++) measured.push(await activateOnce(extension, home, 0));
    measured.sort((a, b) => a.ms - b.ms);
    return { vsixBytes, firstActivation, activation: measured[Math.floor(measured.length / 2)] };
  } finally {
    fs.rmSync(session, { recursive: true, force: true });
  }
}

/** @param {string} extension @param {string} file */
async function packedSize(extension, file) {
  await pack(extension, file);
  return fs.statSync(file).size;
}

/**
 * @typedef {{ ms: number, load: number, call: number, finish: number }} Activation in milliseconds; `ms` is loading the
 * code plus the call of `activate`, as VS Code's own performance report says
 * @param {string} extension
 * @param {string} session
 * @param {number} stayMs how long the window stays open
 * @returns {Promise<Activation>}
 */
async function activateOnce(extension, session, stayMs) {
  const { runTests } = await import('@vscode/test-electron');
  const report = path.join(session, 'report.json');
  const folder = path.join(session, 'folder');
  fs.mkdirSync(folder, { recursive: true });
  const executable =
    process.env.VSCODE_EXECUTABLE ??
    (process.platform === 'linux' ? path.join(root, 'test/support/vscode/code.mjs') : undefined);
  await runTests({
    ...(executable && { vscodeExecutablePath: executable }),
    extensionDevelopmentPath: extension,
    extensionTestsPath: path.join(root, 'test/bench/activationProbe.cjs'),
    extensionTestsEnv: {
      HERMES_TEST_REPORT: report,
      HERMES_TEST_STAY: String(stayMs),
      HERMES_SESSION_FOLDER: path.join(session, 'code'),
    },
    launchArgs: [
      folder,
      `--user-data-dir=${path.join(session, 'data')}`,
      `--extensions-dir=${path.join(session, 'extensions')}`,
    ],
  });
  const times = JSON.parse(fs.readFileSync(report, 'utf8'));
  return { ms: times.load + times.call, ...times };
}
