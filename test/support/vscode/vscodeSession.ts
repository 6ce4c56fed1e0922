import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureChromium } from '../../../scripts/chromiumInstall.mjs';
import { ensureVscode, installedNode24, type VscodeInstall } from '../../../scripts/vscodeInstall.mjs';
import { Browser, browserOrigin } from './browser';
import { CodeServer } from './codeServer';
import { freePort } from './port';
import { endProcessesOf, guard, processesOf, projectRoot, signal, waitFor, waitUntilGone } from './processes';
import { quietSettings, scriptedModelSettings, UserSettings, type Settings } from './userSettings';
import { Workbench } from './workbench';

export interface VscodeSessionOptions {
  /** Packaged extensions to install. */
  vsix?: readonly string[];
  /** An extensions folder into which another server installed what this one shall have; instead of `vsix` and `extensions`. */
  installed?: string;
  /** The server's program, where it was looked for already. */
  install?: VscodeInstall;
  /** Unpacked extension folders: helper extensions of test/support/extensions by name, others by absolute path. */
  extensions?: readonly string[];
  /** On top of `quietSettings` and `scriptedModelSettings`. */
  settings?: Settings;
  /** Those of scope "machine": VS Code may overlook them among the others. */
  machineSettings?: Settings;
  env?: Readonly<Record<string, string | undefined>>;
  workspaceTrust?: boolean;
  testDriver?: boolean;
  reconnectionGraceSeconds?: number;
  viewport?: { width: number; height: number };
  /** Caches that a browser starts with. Default: none. */
  caches?: string;
  /** Where the session lives. Default: a new temporary folder, removed in the end. */
  root?: string;
  port?: number;
}

/**
 * A VS Code of its own (server, extension hosts, browser) in a temporary folder, on a port that stays the same: it can be closed,
 * killed, reopened and restarted in every way, and finds its state again. Disposing it leaves no process and no file.
 */
export class VscodeSession {
  /** The windows that were opened, in order; some may be closed by now. */
  readonly workbenches: Workbench[] = [];

  /** Settings of the machine, beside those of the person. */
  readonly machineSettings: UserSettings;

  private constructor(
    readonly root: string,
    readonly server: CodeServer,
    readonly browser: Browser,
    readonly settings: UserSettings,
    private readonly guardian: { dispose(): void },
    private readonly keepFolder: boolean,
  ) {
    this.machineSettings = new UserSettings(server.dataDir, 'Machine');
  }

  /** Installs what is missing, starts server and browser. No window is open yet: see `open`. */
  static async start(options: VscodeSessionOptions = {}): Promise<VscodeSession> {
    const install = options.install ?? (await ensureVscode());
    const executablePath = await ensureChromium();
    const root = options.root ?? fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-vscode-'));
    const keepFolder = options.root !== undefined;
    const guardian = guard(root, { keepFolder });
    const port = options.port ?? (await freePort());
    const server = new CodeServer({ ...options, install, root, port });
    const browser = new Browser({ ...options, executablePath, root, port });
    const settings = new UserSettings(server.dataDir);
    const session = new VscodeSession(root, server, browser, settings, guardian, keepFolder);
    try {
      settings.write({ ...quietSettings, ...scriptedModelSettings, ...options.settings });
      session.machineSettings.write({ ...options.machineSettings });
      for (const name of options.extensions ?? [])
        server.addExtensionFolder(path.resolve(projectRoot(), 'test/support/extensions', name));
      for (const file of options.vsix ?? []) server.installVsix(file);
      if (options.installed !== undefined) server.copyInstalled(options.installed);
      await Promise.all([server.start(), browser.open()]);
      return session;
    } catch (error) {
      await session.dispose();
      throw error;
    }
  }

  /** Opens a window on a folder (none: an empty window), in a new page. */
  async open(folder?: string, query?: Readonly<Record<string, string>>): Promise<Workbench> {
    const blank = this.browser.context.pages().find((page) => page.url() === 'about:blank');
    const workbench = new Workbench(blank ?? (await this.browser.context.newPage()), browserOrigin);
    this.workbenches.push(workbench);
    await workbench.open(folder, query);
    return workbench;
  }

  /** A copy of the sample project, in the session's folder; the same one each time for a name. */
  sampleFolder(name = 'parcel-post'): string {
    const folder = path.join(this.root, name);
    if (!fs.existsSync(folder)) fs.cpSync(path.join(projectRoot(), 'test/support/sample'), folder, { recursive: true });
    return folder;
  }

  /** The newest extension host, as soon as there is one. */
  async extensionHostPid(): Promise<number> {
    return waitFor('an extension host to run', () => this.server.extensionHostPids().at(-1));
  }

  /** kill -9 of the newest extension host; VS Code restarts it by itself (twice in five minutes; a reload resets the count). */
  async killExtensionHost(): Promise<number> {
    const pid = await this.extensionHostPid();
    signal(pid, 'SIGKILL');
    await waitUntilGone(pid);
    return pid;
  }

  /** Resolves with the id of an extension host that is not `previous`. */
  async waitForNewExtensionHost(previous: number): Promise<number> {
    return waitFor('a new extension host', () => this.server.extensionHostPids().find((pid) => pid !== previous));
  }

  /** Resolves when an extension began to activate in the extension host `pid` (or in the newest one); what it awaits then is its own. */
  async waitForActivation(extensionId: string, pid?: number): Promise<void> {
    const host = pid ?? (await this.extensionHostPid());
    await waitFor(`${extensionId} to activate in the extension host ${host}`, () => {
      const [, ...lives] = this.extensionHostLog().split(/Extension host with pid (?=\d+ started)/);
      return lives.some(
        (life) => life.startsWith(`${host} started`) && life.includes(`_doActivateExtension ${extensionId},`),
      );
    });
  }

  /** Closes the browser and opens it again with the same profile. The old extension host lives on for the reconnection
   *  grace time: its window sends no farewell. By itself a page that closes sometimes sends one in time and sometimes not. */
  async reopenBrowser(): Promise<void> {
    for (const page of this.browser.context.pages())
      await page.evaluate(() => (WebSocket.prototype.send = () => undefined));
    await this.browser.close();
    await this.browser.open();
  }

  /** Everything an extension wrote to its log channels, over all extension hosts of the session. */
  extensionLog(extensionId: string): string {
    return this.#logs((file) => file.endsWith('.log') && file.toLowerCase().includes(extensionId.toLowerCase()));
  }

  /** The extension hosts' own logs: activation errors, unhandled rejections. */
  extensionHostLog(): string {
    return this.#logs((file) => path.basename(file) === 'remoteexthost.log');
  }

  #logs(isWanted: (file: string) => boolean): string {
    const logs = path.join(this.server.dataDir, 'logs');
    if (!fs.existsSync(logs)) return '';
    const files = fs.readdirSync(logs, { recursive: true, encoding: 'utf8' }).filter(isWanted).sort();
    return files.map((file) => fs.readFileSync(path.join(logs, file), 'utf8')).join('');
  }

  /** The workspace storage folders VS Code gave an extension, the unsuffixed ones first. */
  workspaceStorageFolders(extensionId: string): string[] {
    const storage = path.join(this.server.dataDir, 'User', 'workspaceStorage');
    if (!fs.existsSync(storage)) return [];
    return fs
      .readdirSync(storage)
      .sort()
      .map((name) => path.join(storage, name, extensionId))
      .filter((folder) => fs.existsSync(folder));
  }

  globalStorageFolder(extensionId: string): string {
    return path.join(this.server.dataDir, 'User', 'globalStorage', extensionId);
  }

  /** The Node 24 of the extension hosts. */
  get node24(): string {
    const node = installedNode24();
    if (!node) throw new Error('Node 24 is not installed');
    return node;
  }

  /** Ends browser, server and extension hosts, and removes the session's folder. */
  async dispose(): Promise<void> {
    await this.browser.close();
    // Nobody looks at it any more: an extension host that is asked takes its seconds.
    await endProcessesOf(this.root, 0);
    this.guardian.dispose();
    if (!this.keepFolder) fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
    const left = processesOf(this.root);
    if (left.length > 0)
      throw new Error(`Still running: ${left.map(({ pid, command }) => `${pid} ${command}`).join('; ')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}
