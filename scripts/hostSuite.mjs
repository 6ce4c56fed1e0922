/**
 * Runs the suites of test/host/ inside a real extension host, through @vscode/test-electron. Where it can download a
 * desktop VS Code it does (HERMES_DESKTOP=stable, =oldest for the one that package.json allows, or =1.107.0; or
 * VSCODE_EXECUTABLE naming one); otherwise a VS Code server runs them (test/support/vscode/code.mjs).
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build as buildExtension } from './build.mjs';
import { ensureChromium } from './chromiumInstall.mjs';
import { ensureVscode } from './vscodeInstall.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const bundled = path.join(root, '.vscode-test/host');

/**
 * @param {{ say?: (line: string) => void, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ passed: number, failed: number, pending: number }>}
 */
export async function runHostSuites({ say = console.log, env = process.env } = {}) {
  await buildExtension({ say: () => undefined });
  await bundleSuites();
  const { runTests, TestRunFailedError } = await import('@vscode/test-electron');
  const session = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-host-'));
  const report = path.join(session, 'report.json');
  const folder = path.join(session, 'parcel-post');
  const extensions = path.join(session, 'extensions');
  fs.cpSync(path.join(root, 'test/support/sample'), folder, { recursive: true });
  fs.cpSync(path.join(root, 'test/support/extensions'), extensions, { recursive: true });
  const executable = await executablePath(env, say);
  try {
    await runTests({
      ...(executable ? { vscodeExecutablePath: executable } : { version: desktopVersion(env.HERMES_DESKTOP) }),
      extensionDevelopmentPath: root,
      extensionTestsPath: path.join(bundled, 'index.js'),
      extensionTestsEnv: { HERMES_TEST_REPORT: report },
      launchArgs: [folder, `--extensions-dir=${extensions}`, `--user-data-dir=${path.join(session, 'data')}`],
    });
  } catch (error) {
    // Failed tests are in the report; without one the run itself broke.
    if (!(error instanceof TestRunFailedError) || !fs.existsSync(report)) throw error;
  }
  const counts = readReport(report);
  fs.rmSync(session, { recursive: true, force: true });
  return counts;
}

/** undefined lets test-electron download a desktop build. */
async function executablePath(env, say) {
  if (env.VSCODE_EXECUTABLE) return env.VSCODE_EXECUTABLE;
  if (env.HERMES_DESKTOP || process.platform !== 'linux') return undefined;
  await ensureVscode(say);
  await ensureChromium(say);
  return path.join(root, 'test/support/vscode/code.mjs');
}

/** @param {string | undefined} wanted @returns {string} a version as test-electron names it */
export function desktopVersion(wanted) {
  if (wanted === undefined || wanted === '' || wanted === '1') return 'stable';
  if (wanted !== 'oldest') return wanted;
  const { engines } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  return engines.vscode.replace('^', '');
}

async function bundleSuites() {
  const { build } = await import('esbuild');
  const suites = path.join(root, 'test/host/suites');
  const files = fs.readdirSync(suites).filter((name) => name.endsWith('.host.ts'));
  fs.rmSync(bundled, { recursive: true, force: true });
  await build({
    entryPoints: {
      index: path.join(root, 'test/host/index.ts'),
      ...Object.fromEntries(files.map((name) => [`suites/${name.replace(/\.ts$/, '')}`, path.join(suites, name)])),
    },
    outdir: bundled,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
}

function readReport(file) {
  const { passed, failed, pending } = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (![passed, failed, pending].every(Number.isInteger)) throw new Error(`${file} holds no counts`);
  return { passed, failed, pending };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { report: { type: 'string' } } });
  const counts = await runHostSuites();
  if (values.report) fs.writeFileSync(values.report, JSON.stringify(counts));
  console.log(`${counts.passed} passed, ${counts.failed} failed in the extension host`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}
