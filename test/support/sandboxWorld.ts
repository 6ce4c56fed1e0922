import { type ChildProcess, spawn } from 'node:child_process';
import { build } from 'esbuild';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { silentLog } from '../../src/base/log';
import { deniedPaths } from '../../src/tools/approval/deniedPaths';
import { RuleBook } from '../../src/tools/approval/ruleBook';
import { Confinement } from '../../src/tools/sandbox/confinement';
import { Sandbox, type SandboxSetting } from '../../src/tools/sandbox/sandbox';
import type { RemovedFiles } from '../../src/tools/sandbox/git/gitGuard';
import { WrittenOrders } from '../../src/tools/sandbox/writtenOrders';

export interface ConfinedOutcome {
  readonly code: number | null;
  readonly output: string;
  readonly stopped: readonly string[];
  readonly takenOut: readonly string[];
}

/** A real sandbox over a home folder, a project and a place of the editor's own, all below the machine's temporary folder, which is not given to commands
 *  here: they get one below the home. */
export class SandboxWorld {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-confined-')));
  readonly home = join(this.base, 'home');
  readonly project = join(this.home, 'code', 'project');
  readonly editor = join(this.home, '.config', 'Code', 'User');
  readonly temporary = join(this.base, 'tmp');
  readonly aside = join(this.editor, 'aside');
  readonly written = new WrittenOrders();
  readonly removed: RemovedFiles[] = [];
  path = process.env['PATH'] ?? '';
  places: readonly string[] | undefined;
  setting: SandboxSetting = 'auto';
  /** Rules of the user that deny. */
  deny: readonly string[] = [];
  folders: readonly string[] = [this.project];

  private constructor(
    readonly sandbox: Sandbox,
    /** The folder of the helper's bundle, by which its process is known. */
    readonly helper: string,
  ) {}

  get confinement(): Confinement {
    return new Confinement({
      sandbox: this.sandbox,
      setting: () => this.setting,
      folders: () => this.folders,
      path: () => Promise.resolve(this.path),
      ...(this.places === undefined ? {} : { places: this.places }),
      own: () => ({ kept: [this.editor], programs: [] }),
      denied: () =>
        deniedPaths({
          rules: new RuleBook({ allow: [], deny: this.deny }, { home: this.home, caseSensitive: true }),
          home: this.home,
          folders: this.folders.map((path) => ({ name: basename(path), path })),
        }),
      isWritten: (path) => this.written.has(path),
      noteOwn: (files) => this.written.noteOwn(files),
      onRemovedFiles: (files) => void this.removed.push(files),
      home: this.home,
      temporary: this.temporary,
      platform: process.platform,
    });
  }

  static async start(): Promise<SandboxWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-helper-'));
    const helper = join(folder, 'sandboxHelper.js');
    await build({
      entryPoints: ['src/tools/sandbox/helper/main.ts'],
      outfile: helper,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      define: { 'import.meta.url': 'ownAddress' },
      banner: { js: "const ownAddress = require('node:url').pathToFileURL(__filename).href;" },
      external: ['@microsoft/mxc-sdk'],
      logLevel: 'warning',
    });
    const seccomp = join(
      process.cwd(),
      'node_modules/@anthropic-ai/sandbox-runtime/vendor/seccomp',
      process.arch,
      'apply-seccomp',
    );
    const sandbox = new Sandbox({
      file: helper,
      temporary: tmpdir(),
      platform: process.platform,
      log: silentLog,
      environment: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' },
      tools: () => Promise.resolve({ ripgrep: null, seccomp: existsSync(seccomp) ? seccomp : null, proxy: {} }),
    });
    const world = new SandboxWorld(sandbox, folder);
    for (const each of [world.project, world.editor, world.temporary]) mkdirSync(each, { recursive: true });
    return world;
  }

  write(path: string, text = ''): string {
    const file = path.startsWith('/') ? path : join(this.project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** `limit`: after so many milliseconds the command is ended with all it started. Default: none. */
  async run(
    command: string,
    {
      hosts = [],
      folder = this.project,
      environment = {},
      limit,
    }: {
      readonly hosts?: readonly string[];
      readonly folder?: string;
      readonly environment?: Readonly<Record<string, string>>;
      readonly limit?: number;
    } = {},
  ): Promise<ConfinedOutcome> {
    const confined = await this.confinement.confine(command, '/bin/bash', { hosts, folder, aside: this.aside });
    const { code, output } = await new Promise<{ code: number | null; output: string }>((resolve, reject) => {
      const child = spawn(confined.program, [...confined.args], {
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', HOME: this.home, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const end = limit === undefined ? undefined : setTimeout(() => endGroup(child), limit);
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      child.once('error', reject);
      child.once('close', (exit) => (clearTimeout(end), resolve({ code: exit, output: text })));
    });
    const { stopped, takenOut } = await confined.ended();
    return { code, output, stopped, takenOut };
  }

  dispose(): void {
    this.sandbox.dispose();
    for (const folder of [this.base, this.helper])
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** Ends what a detached child started, where any of it still runs. */
export function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The last of the group has ended a moment ago.
  }
}
