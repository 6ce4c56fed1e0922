/**
 * `npm start [-- options] [folder]`: builds the extension and opens VS Code with it on a sample folder or the given
 * one. On a desktop that is `code`, or a downloaded build; elsewhere a VS Code server, whose address is printed. Ctrl-C
 * ends everything, and so does the end of npm. A second one at the same time has a profile, sample and port of its own.
 */
import fs from 'node:fs';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { desktopProblem, downloadDesktop, findDesktopCode, runDesktop } from './desktopCode.mjs';
import { followNpm, ownInstance } from './ownInstance.mjs';
import { ensurePackages } from './packagesInstall.mjs';
import { importTypeScript } from './typescriptModule.mjs';
import { ensureVscode } from './vscodeInstall.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Opens the chat in the windows of this command. */
const openChatExtension = path.join(root, 'scripts/openChat');
const say = (line) => console.log(line);

const usage = `npm start [-- options] [folder]
  --model <url>     use the OpenAI-compatible server at this base URL (for example http://127.0.0.1:11434/v1)
  --model-id <id>   which of its models (default: the first it lists)
  --server          open a VS Code server in the browser, even where a desktop VS Code is installed
  --port <n>        the server's port (default 3187, or another free one)
  --no-open         only print the server's address`;

const { values: options, positionals } = parseArgs({
  options: {
    model: { type: 'string' },
    'model-id': { type: 'string' },
    server: { type: 'boolean' },
    port: { type: 'string' },
    'no-open': { type: 'boolean' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
});
if (options.help) {
  say(usage);
  process.exit(0);
}

// While it builds this ends the process, afterwards all that it has started.
followNpm(() => process.kill(process.pid, 'SIGTERM'));
const { folder: home, number: instance } = ownInstance(path.join(root, '.hermes-dev'));
if (instance > 1) say(`Another \`npm start\` runs in this checkout. This one has a profile of its own, in ${home}.`);

try {
  await ensurePackages(say);
  say('Building the extension …');
  await build({ say: () => undefined });
  const work = workFolder(positionals[0]);
  const desktop = options.server ? undefined : await desktopExecutable();
  await (desktop ? startDesktop(desktop, work) : startServer(work));
  process.exit(0);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

/** The given folder, or a copy of the sample that keeps what was done in it. */
function workFolder(given) {
  if (given) {
    const folder = path.resolve(process.env.INIT_CWD ?? process.cwd(), given);
    if (!fs.existsSync(folder) || !fs.statSync(folder).isDirectory()) throw new Error(`There is no folder ${folder}`);
    return { folder, isSample: false };
  }
  const folder = path.join(home, 'parcel-post');
  if (!fs.existsSync(folder)) fs.cpSync(path.join(root, 'test/support/sample'), folder, { recursive: true });
  return { folder, isSample: true };
}

/** @returns {Promise<string | undefined>} undefined where only the server can be opened */
async function desktopExecutable() {
  const problem = desktopProblem();
  if (problem) {
    say(`Opening a VS Code server, because ${problem}.`);
    return undefined;
  }
  const code = findDesktopCode();
  if (code) return code;
  try {
    say('There is no `code` on PATH. Downloading a desktop VS Code (once) …');
    return await downloadDesktop();
  } catch (error) {
    if (process.platform !== 'linux')
      throw new Error(
        `VS Code could not be downloaded (${error.message}). Install it and its "code" command, then run this again.`,
        { cause: error },
      );
    say(`It could not be downloaded (${error.message}). Opening a VS Code server instead.`);
    return undefined;
  }
}

async function startDesktop(executable, { folder, isSample }) {
  const dataDir = path.join(home, 'desktop');
  await writeSettings(dataDir);
  say(`Opening ${folder} in ${executable}. Close the window or press Ctrl-C to stop.`);
  const window = runDesktop({
    executable,
    dataDir,
    extensionsDir: path.join(home, 'extensions'),
    extensions: [root, openChatExtension],
    folder,
    trusted: isSample,
  });
  await Promise.race([window.closed, interrupted()]);
  await window.stop();
}

async function startServer({ folder, isSample }) {
  const { CodeServer, endProcessesOf, freePort, guard } = await importTypeScript('test/support/vscode/index.ts');
  const install = await ensureVscode(say);
  const serverHome = path.join(home, 'server');
  const extensionsDir = path.join(serverHome, 'extensions');
  // VS Code keeps a list of what is installed, and would not see the link below once there is one.
  fs.rmSync(extensionsDir, { recursive: true, force: true });
  fs.mkdirSync(extensionsDir, { recursive: true });
  const { publisher, name, version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  fs.symlinkSync(root, path.join(extensionsDir, `${publisher}.${name}-${version}`));
  fs.symlinkSync(openChatExtension, path.join(extensionsDir, `${publisher}.open-chat-0.0.1`));

  const port = await choosePort(freePort);
  const server = new CodeServer({ install, root: serverHome, port, extensionsDir, workspaceTrust: !isSample });
  await writeSettings(server.dataDir);
  const guardian = guard(serverHome, { keepFolder: true });
  try {
    await server.start();
    const address = `${server.origin}/?folder=${encodeURIComponent(folder)}`;
    say(`\nVS Code is open at\n\n  ${address}\n\nPress Ctrl-C to stop.`);
    if (!options['no-open']) openInBrowser(address);
    await Promise.race([interrupted(), server.ended]);
  } finally {
    await endProcessesOf(serverHome);
    guardian.dispose();
  }
}

/** The same port each time where possible: VS Code keeps a folder's storage and secrets by host and port. */
async function choosePort(freePort) {
  if (options.port === undefined) return freePort(3186 + instance);
  const port = Number(options.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--port ${options.port} is no port`);
  return port;
}

/** Settings of a quiet first start; what a person changed there since is kept. */
async function writeSettings(dataDir) {
  const { quietSettings, UserSettings } = await importTypeScript('test/support/vscode/userSettings.ts');
  const settings = new UserSettings(dataDir);
  if (!fs.existsSync(settings.file)) settings.write(quietSettings);
  if (options.model) settings.update(await modelSettings(options.model, options['model-id']));
}

async function modelSettings(baseUrl, wantedId) {
  if (!/^https?:\/\//.test(baseUrl))
    throw new Error(`--model takes a base URL, for example http://127.0.0.1:11434/v1, not "${baseUrl}"`);
  const id = wantedId ?? (await firstModel(baseUrl));
  if (id) say(`Model: ${id} at ${baseUrl}`);
  return {
    'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl }],
    'hermes.model': id ? `Local/${id}` : '',
  };
}

/** What the server lists first; the panel offers the others, and all of them where it lists none. */
async function firstModel(baseUrl) {
  try {
    const answer = await fetch(`${baseUrl.replace(/\/$/, '')}/models`, { signal: AbortSignal.timeout(5_000) });
    const id = answer.ok ? (await answer.json())?.data?.[0]?.id : undefined;
    if (typeof id === 'string') return id;
    say(`${baseUrl} lists no models (${answer.status}). Choose one in the panel, or name it with --model-id.`);
  } catch (error) {
    say(
      `${baseUrl} could not be asked for its models (${error.cause?.message ?? error.message}). The panel will ` +
        'ask again.',
    );
  }
  return undefined;
}

function openInBrowser(address) {
  const problem = desktopProblem();
  if (problem) return;
  const [command, ...args] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () => say('No browser could be opened; open the address above yourself.'));
  child.unref();
}

/** Resolves at the first Ctrl-C or request to end. */
function interrupted() {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, resolve);
  });
}
