/** The extension as it is shipped: how large its package is, and how long a real VS Code takes to load and activate it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { ensureChromium } from './chromiumInstall.mjs';
import { packing } from './package.mjs';
import { ensureVscode } from './vscodeInstall.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/**
 * @param {number} runs the median of this many starts is returned
 * @returns {Promise<{ vsixBytes: number, activation: { ms: number, load: number, call: number, finish: number } }>} activation in milliseconds;
 *   `ms` is loading the code plus the call of `activate`, as VS Code's own performance report says
 */
export async function measureShipped(runs) {
  if (process.platform === 'linux' && !process.env.VSCODE_EXECUTABLE) {
    await ensureVscode(console.log);
    await ensureChromium(console.log);
  }
  const session = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-shipped-'));
  try {
    const extension = await packagedLayout(path.join(session, 'extension'));
    const vsixBytes = await packedSize(extension, path.join(session, 'extension.vsix'));
    const measured = [];
    for (let run = 0; run < runs; run++) measured.push(await activateOnce(extension, path.join(session, `run-${run}`)));
    measured.sort((a, b) => a.load + a.call - (b.load + b.call));
    const middle = measured[Math.floor(measured.length / 2)];
    return { vsixBytes, activation: { ms: middle.load + middle.call, ...middle } };
  } finally {
    fs.rmSync(session, { recursive: true, force: true });
  }
}

/** @param {string} extension @param {string} file */
async function packedSize(extension, file) {
  const { createVSIX } = await import('@vscode/vsce');
  await createVSIX({ ...packing, cwd: extension, packagePath: file, skipLicense: true });
  return fs.statSync(file).size;
}

/** The extension as its package holds it, built for production, in a folder of its own. @param {string} folder */
async function packagedLayout(folder) {
  fs.mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package.nls.json', '.vscodeignore', 'README.md', 'CHANGELOG.md', 'LICENSE', 'media', 'l10n']) {
    const source = path.join(root, name);
    if (fs.existsSync(source)) fs.cpSync(source, path.join(folder, name), { recursive: true });
  }
  await build({ production: true, outdir: path.join(folder, 'dist'), say: () => undefined });
  return folder;
}

/** @param {string} extension @param {string} session */
async function activateOnce(extension, session) {
  const { runTests } = await import('@vscode/test-electron');
  const report = path.join(session, 'report.json');
  const folder = path.join(session, 'folder');
  fs.mkdirSync(folder, { recursive: true });
  const executable = process.env.VSCODE_EXECUTABLE ?? (process.platform === 'linux' ? path.join(root, 'test/support/vscode/code.mjs') : undefined);
  await runTests({
    ...(executable && { vscodeExecutablePath: executable }),
    extensionDevelopmentPath: extension,
    extensionTestsPath: path.join(root, 'test/bench/activationProbe.cjs'),
    extensionTestsEnv: { HERMES_TEST_REPORT: report },
    launchArgs: [folder, `--user-data-dir=${path.join(session, 'data')}`, `--extensions-dir=${path.join(session, 'extensions')}`],
  });
  return JSON.parse(fs.readFileSync(report, 'utf8'));
}
