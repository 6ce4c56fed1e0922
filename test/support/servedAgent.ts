import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { AcpClient } from './acpClient';
import { type ModelServer, startModelServer } from './modelServer';

/** `hermes-agent acp` as it is shipped, with user data, a project folder and a model server of its own. */
export class ServedAgent {
  private readonly clients: AcpClient[] = [];

  private constructor(
    readonly home: string,
    readonly server: ModelServer,
  ) {}

  /** Bundles the program. Call it once for a file of tests. */
  static async bundle(): Promise<{ readonly folder: string; remove(): void }> {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-served-'));
    await build({
      entryPoints: {
        'hermes-agent': 'src/features/agents/served/main.ts',
        storeWorker: 'src/store/worker/storeWorker.ts',
        providers: 'src/models/providers/index.ts',
        mcp: 'src/features/mcp/core/client/index.ts',
        secretlint: 'src/models/secretlint/index.ts',
      },
      outdir: join(folder, 'dist'),
      bundle: true,
      mainFields: ['module', 'main'],
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      logLevel: 'error',
    });
    const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm');
    copyFileSync(wasm, join(folder, 'dist', 'sql-wasm.wasm'));
    copyFileSync('src/models/prices/modelPrices.json', join(folder, 'dist', 'modelPrices.json'));
    copyFileSync('package.json', join(folder, 'package.json'));
    return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
  }

  static async create(): Promise<ServedAgent> {
    const home = mkdtempSync(join(tmpdir(), 'hermes-served-home-'));
    const served = new ServedAgent(home, await startModelServer());
    mkdirSync(join(served.data, 'User'), { recursive: true });
    mkdirSync(served.folder);
    writeFileSync(
      join(served.data, 'User', 'settings.json'),
      JSON.stringify({
        'hermes.model': 'Local/test-model',
        'hermes.providers': [
          {
            name: 'Local',
            protocol: 'openai',
            baseUrl: served.server.url,
            models: [{ id: 'test-model', tools: true, contextWindow: 50_000 }],
          },
        ],
        'hermes.sessionTitles': 'prompt',
        'hermes.terminal.sandbox': 'off',
        'hermes.personalFiles': [],
      }),
    );
    return served;
  }

  get data(): string {
    return join(this.home, 'data');
  }

  /** The project. */
  get folder(): string {
    return join(this.home, 'project');
  }

  /** Starts the program. */
  start(bundle: string, ...options: readonly string[]): AcpClient {
    const args = ['acp', '--user-data', this.data, ...options];
    const program = join(bundle, 'dist', 'hermes-agent.js');
    const client = new AcpClient(program, args, { cwd: this.folder, env: { HOME: this.home } });
    this.clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.kill()));
    await this.server.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}
