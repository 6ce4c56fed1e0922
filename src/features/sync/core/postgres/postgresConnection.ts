import { readFileSync } from 'node:fs';
import { Client, Pool, type ClientConfig, type PoolClient, type QueryResultRow } from 'pg';
import * as v from 'valibot';
import { t } from '../../../../base/translate';
import { SyncFailure } from '../syncFailure';
import { codeOf, syncFailure } from './connectionFailure';
import type { DatabaseAddress } from './connectionString';

/** Milliseconds. */
const connectTimeoutMs = 10_000;
const queryTimeoutMs = 60_000;
/** For what changes the tables, or writes a long sending at once. */
const patientMs = 60 * 60_000;
/** A server that is paid by use may sleep while nothing is exchanged. */
const idleMs = 5000;
/** Number of times that a transaction which met another one is tried. */
const attempts = 8;

/** A whole number. BIGINT comes as text. */
export const count = v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.safeInteger());

/** Without TLS, another user's program may hold the port. Ends the connection unless the server proves by SCRAM that it
 *  knows the password, before it gets the password or a statement. */
class ScramClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    const { connection, host } = this;
    let isProven = false;
    const refuse = (): void =>
      void connection.stream.destroy(
        new SyncFailure(
          'password',
          t(
            'The server {host} does not prove with scram-sha-256 that it knows the password, which is required without TLS. Turn that on in its pg_hba.conf, or use TLS.',
            { host },
          ),
          'the server did not complete SCRAM',
        ),
      );
    // Before the listeners of `Client`: what they write to an ended connection is not sent.
    connection.on('authenticationCleartextPassword', refuse);
    connection.on('authenticationMD5Password', refuse);
    // `Client` compares the proof, and ends the connection for a wrong one.
    connection.on('authenticationSASLFinal', () => (isProven = true));
    for (const event of ['authenticationOk', 'readyForQuery'])
      connection.on(event, () => {
        if (!isProven) refuse();
      });
  }
}

/** Limits that the server keeps itself, as parts of the milliseconds that an answer may take. A client that is gone
 *  (its lid was closed) would otherwise hold its locks for hours, and each that waits for them one connection more.
 *  They hold for one transaction, which connection poolers allow. */
function limits(timeoutMs: number): string {
  return [
    `SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(timeoutMs / 2)}`,
    `SET LOCAL lock_timeout = ${Math.ceil(timeoutMs / 12)}`,
    `SET LOCAL statement_timeout = ${timeoutMs}`,
  ].join('; ');
}

export interface Sql {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** A statement, and the rows that it returns. */
export interface Statement<T> extends Sql {
  readonly rows: v.GenericSchema<unknown, T>;
}
type Rows<T extends readonly unknown[]> = { readonly [K in keyof T]: readonly T[K][] };
type Statements<T extends readonly unknown[]> = { readonly [K in keyof T]: Statement<T[K]> };

/** What is left to do in a transaction. `last`: does that and ends it, in one trip. `isLong`: for as long as it takes.
 *  Default: false. */
export interface Transaction {
  readonly client: PoolClient;
  last(statements: readonly Sql[], isLong?: boolean): Promise<void>;
}

/** Connections to one database. Every failure is a `SyncFailure`. */
export class PostgresConnection {
  private readonly pool: Pool;
  private readonly limits: string;

  /** `timeoutMs`: milliseconds that an answer may take. Default: 60,000. `onMissingTable`: called when a table is not
   *  there any more. */
  constructor(
    private readonly address: DatabaseAddress,
    timeoutMs = queryTimeoutMs,
    private readonly onMissingTable: () => void = ignored,
  ) {
    const { host, port, database, user, password, tls, rootCertificate } = address;
    this.limits = limits(timeoutMs);
    this.pool = new Pool({
      host,
      port,
      database,
      user,
      password,
      ssl:
        tls === 'none'
          ? false
          : { rejectUnauthorized: true, ...(rootCertificate === null ? {} : { ca: certificateIn(rootCertificate) }) },
      max: 2,
      idleTimeoutMillis: idleMs,
      connectionTimeoutMillis: Math.min(timeoutMs, connectTimeoutMs),
      query_timeout: timeoutMs,
      keepAlive: true,
      application_name: 'Hermes',
      // Statements that need no answer of another travel together.
      pipeline: true,
      allowExitOnIdle: true,
      ...(tls === 'none' ? { Client: ScramClient } : {}),
    });
    // An idle connection broke: the next call opens another.
    this.pool.on('error', () => undefined);
  }

  /** Returns the one row of a statement. */
  async one<T>(schema: v.GenericSchema<unknown, T>, sql: string, values: readonly unknown[]): Promise<T> {
    const [row] = await this.all(schema, sql, values);
    if (row === undefined) throw new Error(`no row from: ${sql.slice(0, 60)}`);
    return row;
  }

  /** Changes the tables, for as long as that takes. */
  async define(statement: string): Promise<void> {
    const patient = { text: statement, query_timeout: patientMs };
    await this.guarded(() => this.again(() => this.pool.query(patient)));
  }

  /** Reads few rows. What reads or waits for longer has limits: see `together`. */
  all<T>(schema: v.GenericSchema<unknown, T>, sql: string, values: readonly unknown[]): Promise<readonly T[]> {
    return this.guarded(() => this.again(() => rowsOf(this.pool, schema, sql, values)));
  }

  /** Changes rows that a transaction may have locked, in a transaction of its own: only that has limits. Returns
   *  what `RETURNING` names. */
  async change(sql: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    const [changed] = await this.together('BEGIN', { rows: v.unknown(), sql, values });
    return changed;
  }

  /** Runs a transaction whose statements need nothing of each other, in one trip to the server and back. */
  together<T extends readonly unknown[]>(begin: string, ...statements: Statements<T>): Promise<Rows<T>> {
    return this.transaction(begin, async ({ client, last }) => {
      const answers = statements.map(({ rows, sql, values }: Statement<unknown>) => rowsOf(client, rows, sql, values));
      const [, ...all] = await Promise.all([last([]), ...answers]);
      return all as unknown as Rows<T>;
    });
  }

  /** Runs a transaction, again if it met another one. `begin`: the statement that begins it; it travels with the first
   *  one of the work. */
  transaction<T>(begin: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.guarded(() =>
      this.again(async () => {
        const client = await this.pool.connect();
        // Without a listener, a connection that breaks in between would end the process.
        client.on('error', ignored);
        let isEnding = false;
        const last: Transaction['last'] = async (statements, isLong = false) => {
          isEnding = true;
          const patience = { sql: `SET LOCAL statement_timeout = ${patientMs}`, values: [] };
          // A commit of what failed takes it back.
          const all = [...(isLong ? [patience] : []), ...statements, { sql: 'COMMIT', values: [] }];
          const limit = isLong ? { query_timeout: patientMs } : {};
          await Promise.all(all.map(({ sql, values }) => client.query({ text: sql, values: [...values], ...limit })));
        };
        try {
          const begun = client.query(`${begin}; ${this.limits}`);
          const [, result] = await Promise.all([begun, work({ client, last })]);
          if (!isEnding) await client.query('COMMIT');
          client.off('error', ignored);
          client.release();
          return result;
        } catch (error) {
          const isUsable = await client.query('ROLLBACK').then(
            () => true,
            () => false,
          );
          client.off('error', ignored);
          client.release(!isUsable);
          throw error;
        }
      }),
    );
  }

  /** Tries again what met another transaction. */
  private async again<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++)
      try {
        return await work();
      } catch (error) {
        if (attempt >= attempts || !isCollision(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
      }
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (['42P01', '3F000'].includes(codeOf(error) ?? '')) this.onMissingTable();
      throw syncFailure(error, this.address);
    }
  }

  async dispose(): Promise<void> {
    await this.pool.end().catch(ignored);
  }
}

/** Reads rows within a transaction. */
export async function rowsOf<T>(
  client: Pick<Pool | PoolClient, 'query'>,
  schema: v.GenericSchema<unknown, T>,
  sql: string,
  values: readonly unknown[],
): Promise<readonly T[]> {
  const { rows } = await client.query<QueryResultRow>(sql, [...values]);
  return rows.map((row) => v.parse(schema, row));
}

function ignored(): void {
  // The call that is running rejects, or there is none.
}

/** 40001, 40P01: transactions met. 23505, 42P07, 42710, XX000: the same tables were made at the same time. */
function isCollision(error: unknown): boolean {
  return ['40001', '40P01', '23505', '42P06', '42P07', '42710'].includes(codeOf(error) ?? '');
}

function certificateIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SyncFailure('address', t('The file {path} of sslrootcert= could not be read.', { path }), String(error));
  }
}

/** Bytes that are sent or received in one piece: five seconds at 100 KB/s. A cut connection loses no more. */
export const pageBytes = 2 ** 19;
/** Documents of a page. */
export const pageRows = 500;
/** Pages of one conversation after which others have their turn. */
export const pagesAtOnce = 4;

/** Goes on after a cut, once: each page that arrives may be followed by one. */
export async function goingOn<T>(page: () => Promise<T>): Promise<T> {
  try {
    return await page();
  } catch (error) {
    if (!(error instanceof SyncFailure) || error.kind !== 'lost') throw error;
    return page();
  }
}
