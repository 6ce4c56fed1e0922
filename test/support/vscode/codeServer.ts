import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { serverConfig, type VscodeInstall } from '../../../scripts/vscodeInstall.mjs';
import { isAlive, processesOf, ROOT_VARIABLE, signal, waitFor, waitUntilGone } from './processes';

export interface CodeServerOptions {
  install: VscodeInstall;
  /** The session's own folder: names its processes, and holds data and extensions unless said otherwise. */
  root: string;
  port: number;
  dataDir?: string;
  extensionsDir?: string;
  /** Added to the environment of the server and so of its extension hosts; undefined takes a variable away. */
  env?: Readonly<Record<string, string | undefined>>;
  /** With it, a folder that was never trusted opens in Restricted Mode. */
  workspaceTrust?: boolean;
  /** Lets a page carry extensionDevelopmentPath and extensionTestsPath; without it they are ignored without a word. */
  testDriver?: boolean;
  /** How long the extension host of a closed window lives on; 1 s unless said otherwise. */
  reconnectionGraceSeconds?: number;
}

/** A VS Code server (code-server) with its own data and extensions. Extension hosts are its children. */
export class CodeServer {
  readonly dataDir: string;
  readonly extensionsDir: string;
  readonly origin: string;
  #child: ChildProcess | undefined;
  #output = '';

  constructor(private readonly options: CodeServerOptions) {
    this.dataDir = options.dataDir ?? path.join(options.root, 'data');
    this.extensionsDir = options.extensionsDir ?? path.join(options.root, 'extensions');
    this.origin = `http://127.0.0.1:${options.port}`;
    fs.mkdirSync(this.dataDir, { recursive: true });
    fs.mkdirSync(this.extensionsDir, { recursive: true });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Everything the server and its extension hosts wrote to their standard output. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when the server answers. */
  async start(): Promise<void> {
    const { install, port, workspaceTrust, testDriver, reconnectionGraceSeconds = 1 } = this.options;
    const args = [
      install.entry,
      ...['--config', serverConfig, '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none'],
      ...['--user-data-dir', this.dataDir, '--extensions-dir', this.extensionsDir],
      ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
      // By itself VS Code keeps the extension host of a closed window for three hours, and with it the lock on the folder's storage.
      ...['--reconnection-grace-time', String(reconnectionGraceSeconds)],
      ...(workspaceTrust ? [] : ['--disable-workspace-trust']),
      ...(testDriver ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
    ];
    const child = spawn(install.node, args, { env: this.#environment(), stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    child.stdout.on('data', (data: Buffer) => (this.#output += data.toString()));
    child.stderr.on('data', (data: Buffer) => (this.#output += data.toString()));
    await waitFor('the VS Code server to answer', async () => {
      if (child.exitCode !== null)
        throw new Error(`The VS Code server ended with code ${child.exitCode}:\n${this.#output}`);
      return isReachable(`${this.origin}/healthz`);
    });
  }

  /** Resolves when the server process ends, by itself or not. */
  get ended(): Promise<void> {
    const child = this.#child;
    return new Promise((resolve) => (child ? child.once('exit', () => resolve()) : resolve()));
  }

  /** Asks the server to stop, and waits until it and its extension hosts are gone; `deactivate` has run then. */
  async stop(): Promise<void> {
    const hosts = this.extensionHostPids();
    const pid = this.#child?.pid;
    if (pid !== undefined && isAlive(pid)) {
      signal(pid, 'SIGTERM');
      await waitUntilGone(pid);
    }
    this.#child = undefined;
    for (const host of hosts) await waitUntilGone(host);
  }

  /** kill -9 of the server. Its extension hosts notice by themselves within seconds. */
  async kill(): Promise<void> {
    const processes = processesOf(this.options.root).filter(
      ({ command }) => command.includes(this.options.install.entry) || command.includes('server-main'),
    );
    for (const { pid } of processes) signal(pid, 'SIGKILL');
    for (const { pid } of processes) await waitUntilGone(pid);
    this.#child = undefined;
  }

  /** The extension hosts that run now, oldest first. */
  extensionHostPids(): number[] {
    const hosts = processesOf(this.options.root).filter(
      ({ pid, command }) => command.includes('--type=extensionHost') && isAlive(pid),
    );
    const ids = new Set(hosts.map(({ pid }) => pid));
    // What a host starts looks like the host, the newest one, until it runs its own program.
    return hosts.filter(({ parent }) => !ids.has(parent)).map(({ pid }) => pid);
  }

  /** Installs a packaged extension, as a person would with "Install from VSIX". Before the start, or after a stop. */
  installVsix(file: string): void {
    const run = this.#cli('--install-extension', file, '--force');
    if (run.status !== 0 || !run.stdout.includes('successfully installed')) {
      throw new Error(`${file} could not be installed:\n${run.stdout}${run.stderr}`);
    }
  }

  /** Takes over what another server has installed into its extensions folder, list included: much cheaper than to install it again. Before
   *  the first start, and with nothing else installed. */
  copyInstalled(extensionsDir: string): void {
    fs.cpSync(extensionsDir, this.extensionsDir, { recursive: true });
    const list = path.join(this.extensionsDir, 'extensions.json');
    fs.writeFileSync(list, fs.readFileSync(list, 'utf8').replaceAll(extensionsDir, this.extensionsDir));
  }

  /** `publisher.name@version` of everything installed. */
  installedExtensions(): string[] {
    return this.#cli('--list-extensions', '--show-versions')
      .stdout.split('\n')
      .filter((line) => line.includes('@'));
  }

  /** Puts an unpacked extension beside the installed ones. Only before the first start or install: VS Code keeps a list from then on. */
  addExtensionFolder(folder: string): void {
    if (fs.existsSync(path.join(this.extensionsDir, 'extensions.json'))) {
      throw new Error(`${folder} must be added before anything is installed: VS Code would not see it any more`);
    }
    const manifest: unknown = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    fs.cpSync(folder, path.join(this.extensionsDir, extensionFolderName(manifest, folder)), { recursive: true });
  }

  #cli(...args: string[]) {
    const { install } = this.options;
    const fixed = [
      install.entry,
      '--config',
      serverConfig,
      '--user-data-dir',
      this.dataDir,
      '--extensions-dir',
      this.extensionsDir,
    ];
    return spawnSync(install.node, [...fixed, ...args], {
      env: this.#environment(),
      encoding: 'utf8',
      timeout: 60_000,
    });
  }

  #environment(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$|VITEST)/.test(name),
    );
    // The rules and skills that the user of this machine keeps for agents are not the test's. Nor is what a login shell of that user
    // does: VS Code, Hermes and each terminal start some.
    const personal = path.join(this.options.root, 'personal');
    const home = path.join(personal, 'home');
    fs.mkdirSync(home, { recursive: true });
    const own = {
      HOME: home,
      XDG_CONFIG_HOME: path.join(personal, 'config'),
      CLAUDE_CONFIG_DIR: path.join(personal, 'claude'),
      CODEX_HOME: path.join(personal, 'codex'),
    };
    const merged = {
      ...Object.fromEntries(inherited),
      ...own,
      // As the option says; what VS Code 1.106 reads (scripts/vscodeInstall.mjs).
      CODE_SERVER_RECONNECTION_GRACE_TIME: String(this.options.reconnectionGraceSeconds ?? 1),
      ...this.options.env,
      [ROOT_VARIABLE]: this.options.root,
    };
    return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
  }
}

async function isReachable(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch (error) {
    if (error instanceof TypeError) return false; // fetch's word for "nothing listens yet"
    throw error;
  }
}

function extensionFolderName(manifest: unknown, folder: string): string {
  if (
    typeof manifest === 'object' &&
    manifest &&
    'publisher' in manifest &&
    'name' in manifest &&
    'version' in manifest
  ) {
    return `${String(manifest.publisher)}.${String(manifest.name)}-${String(manifest.version)}`;
  }
  throw new Error(`${folder}/package.json has no publisher, name and version`);
}
