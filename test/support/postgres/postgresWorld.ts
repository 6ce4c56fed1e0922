import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres, type RunningPostgres } from '../../../scripts/postgresServer.mjs';
import { parseConnectionString, type DatabaseAddress } from '../../../src/features/sync/core/postgres/connectionString';
import { PostgresServer } from '../../../src/features/sync/core/postgres/postgresServer';

/** A real PostgreSQL with a database of its own for each test. */
export class PostgresWorld {
  private databases = 0;
  private readonly clients: PostgresServer[] = [];

  private constructor(
    readonly server: RunningPostgres,
    private readonly folder: string,
    private readonly logged: readonly string[],
  ) {}

  static async start(
    options: { readonly durable?: boolean; readonly settings?: Readonly<Record<string, string>> } = {},
  ): Promise<PostgresWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-postgres-'));
    const password = randomBytes(9).toString('base64url');
    const { durable = false, settings = {} } = options;
    const logged: string[] = [];
    const onLog = (text: string): void => void logged.push(text);
    return new PostgresWorld(await startPostgres({ folder, password, durable, settings, onLog }), folder, logged);
  }

  /** The server's log, up to now. */
  get log(): string {
    return this.logged.join('');
  }

  /** Makes an empty database. */
  async database(): Promise<string> {
    const name = `test_${++this.databases}`;
    await this.run('postgres', `CREATE DATABASE ${name}`);
    return name;
  }

  address(database: string, user?: string, password?: string): DatabaseAddress {
    return parseConnectionString(this.server.url(database, user, password));
  }

  client(address: DatabaseAddress, history = 'h'): PostgresServer {
    const client = new PostgresServer({ address, history });
    this.clients.push(client);
    return client;
  }

  /** Runs statements as the owner of the server. */
  async run(database: string, ...statements: readonly string[]): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.server.url(database) });
    await client.connect();
    try {
      let rows: readonly Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
      return rows;
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.dispose()));
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
