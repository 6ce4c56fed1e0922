import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseAddress } from '../../src/features/sync/core/postgres/connectionString';
import { schemaSql, schemaVersion } from '../../src/features/sync/core/postgres/schema';
import { compressedServer } from '../../src/features/sync/core/compressedServer';
import { syncFailureIn } from '../../src/features/sync/core/syncFailure';
import { between, type Between } from '../support/postgres/betweenPostgres';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { expired, selfSigned } from '../support/selfSigned';
import { answered, lines, sessionDbWorld, type SessionDbWorld } from '../support/sessionDbWorld';
import { roundOf } from '../support/syncRound';

let world: PostgresWorld;
const proxies: Between[] = [];
const folder = mkdtempSync(join(tmpdir(), 'hermes-certificates-'));
beforeAll(async () => {
  world = await PostgresWorld.start();
});
afterAll(async () => {
  for (const proxy of proxies) await proxy.close();
  await world.close();
  rmSync(folder, { recursive: true });
});

/** A server that is met in a bad state. `address`: as it is met then. `mend`: ends that state. */
interface BadServer {
  readonly address?: DatabaseAddress;
  readonly mend: () => Promise<unknown>;
}

const proxied = async (options: Parameters<typeof between>[1]): Promise<number> => {
  const proxy = await between(world.server.port, options);
  proxies.push(proxy);
  return proxy.port;
};
const trusted = (name: string, cert: string): string => {
  const file = join(folder, `${name}.pem`);
  writeFileSync(file, cert);
  return file;
};
const nothing = (): Promise<void> => Promise.resolve();

const states: readonly (readonly [
  string,
  string | RegExp,
  (database: string, address: DatabaseAddress) => Promise<BadServer>,
])[] = [
  [
    'whose disk is full',
    'The disk of the server 127.0.0.1 is full.',
    async (database) => {
      await world.run(
        database,
        `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`,
        'CREATE TRIGGER full_disk BEFORE INSERT ON hermes_sync.bodies EXECUTE FUNCTION full_disk()',
      );
      return { mend: () => world.run(database, 'DROP TRIGGER full_disk ON hermes_sync.bodies') };
    },
  ],
  [
    'that took back its rights',
    /^The user member may not use or create the tables of Hermes in 127\.0\.0\.1:\d+\/test_\d+\. An administrator can create them\.$/,
    async (database) => {
      const tables = 'ON ALL TABLES IN SCHEMA hermes_sync';
      await world.run(database, `REVOKE INSERT, UPDATE ${tables} FROM member`);
      return { mend: () => world.run(database, `GRANT INSERT, UPDATE ${tables} TO member`) };
    },
  ],
  [
    'that changed the password',
    'The server 127.0.0.1 refused the user member or the password.',
    async () => {
      await world.run('postgres', "ALTER ROLE member PASSWORD 'another'");
      return { mend: () => world.run('postgres', "ALTER ROLE member PASSWORD 'm'") };
    },
  ],
  [
    'without the database',
    /^There is no database test_\d+ on 127\.0\.0\.1\.$/,
    async (database) => {
      await world.run(
        'postgres',
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
        `ALTER DATABASE ${database} RENAME TO ${database}_away`,
      );
      return { mend: () => world.run('postgres', `ALTER DATABASE ${database}_away RENAME TO ${database}`) };
    },
  ],
  [
    'with the tables of a newer Hermes',
    'A newer Hermes made the tables on this server. Update Hermes on this machine.',
    async (database) => {
      await world.run(database, `UPDATE hermes_sync.layout SET version = ${schemaVersion + 1}`);
      return { mend: () => world.run(database, `UPDATE hermes_sync.layout SET version = ${schemaVersion}`) };
    },
  ],
  [
    'that is too old',
    'The server is too old. PostgreSQL 13 or newer is required.',
    async (database, address) => {
      // The version is looked at where the tables are missing.
      await world.run(database, 'UPDATE hermes_sync.layout SET version = 1');
      const [row] = await world.run(database, 'SHOW server_version_num');
      const version = String(row?.['server_version_num']);
      const answer = (bytes: Buffer): Buffer =>
        Buffer.from(bytes.toString('latin1').replaceAll(version, '120004'), 'latin1');
      return {
        address: { ...address, port: await proxied({ answer }) },
        mend: () => world.run(database, `UPDATE hermes_sync.layout SET version = ${schemaVersion}`),
      };
    },
  ],
  [
    'whose certificate has expired',
    'The certificate of localhost has expired. It must be renewed there.',
    async (_database, address) => ({
      address: {
        ...address,
        host: 'localhost',
        port: await proxied({ certificate: expired }),
        tls: 'verified',
        rootCertificate: trusted('expired', expired.cert),
      },
      mend: nothing,
    }),
  ],
  [
    'whose certificate nobody trusts',
    /^The certificate of localhost is not trusted on this machine\. If it is right, add sslrootcert=/,
    async (_database, address) => ({
      address: { ...address, host: 'localhost', port: await proxied({ certificate: selfSigned }), tls: 'verified' },
      mend: nothing,
    }),
  ],
  [
    'that was shut down',
    /^Nothing answers at 127\.0\.0\.1, port \d+\. Check that the server runs and the port is right\.$/,
    async () => {
      await world.server.stop();
      return { mend: () => world.server.restart() };
    },
  ],
];

const exchange = async (
  { db }: SessionDbWorld,
  address: DatabaseAddress,
  origin: string,
): Promise<string | undefined> => {
  const client = world.client(address);
  try {
    await roundOf(db, compressedServer(client), origin).run();
    return undefined;
  } catch (error) {
    return syncFailureIn(error)?.message ?? String(error);
  } finally {
    await client.dispose();
  }
};

describe('a server', () => {
  it.each(states)(
    '%s is told apart; local work goes on, and is there once it is mended',
    async (_name, sentence, spoil) => {
      const database = await world.database();
      await world.run(
        'postgres',
        "DO $$ BEGIN CREATE ROLE member LOGIN PASSWORD 'm'; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
      );
      await world.run(database, schemaSql('member'));
      const address = world.address(database, 'member', 'm');
      const laptop = await sessionDbWorld();
      laptop.db.createSession({ id: 's1', startedAt: 1, title: 'The parser' });
      answered(laptop.db, 't1', 'It is here.');
      laptop.db.synced.begin();
      expect(await exchange(laptop, address, 'laptop')).toBeUndefined();

      const bad = await spoil(database, address);
      answered(laptop.db, 't2', 'And there.');
      expect(await exchange(laptop, bad.address ?? address, 'laptop')).toEqual(
        typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
      );
      answered(laptop.db, 't3', 'Local work goes on.');
      const written = lines(laptop.db);
      expect([written.length, laptop.db.verifyIntegrity()]).toEqual([6, []]);

      await bad.mend();
      expect(await exchange(laptop, address, 'laptop')).toBeUndefined();
      const desk = await sessionDbWorld();
      desk.db.synced.begin();
      expect([await exchange(desk, address, 'desk'), lines(desk.db)]).toEqual([undefined, written]);
      for (const { database: store } of [laptop, desk]) store.abandon();
    },
  );

  it('whose tables were dropped has them again, and everything in them, without a new client', async () => {
    const database = await world.database();
    const [laptop, desk] = [await sessionDbWorld(), await sessionDbWorld()];
    laptop.db.createSession({ id: 's1', startedAt: 1 });
    answered(laptop.db, 't1', 'It is here.');
    for (const { db } of [laptop, desk]) db.synced.begin();
    const client = world.client(world.address(database));
    await roundOf(laptop.db, client, 'laptop').run();
    await world.run(database, 'DROP SCHEMA hermes_sync CASCADE');
    await expect(roundOf(laptop.db, client, 'laptop').run()).rejects.toThrow('can’t be used right now');
    await roundOf(laptop.db, client, 'laptop').run();
    await roundOf(desk.db, client, 'desk').run();
    expect(lines(desk.db)).toEqual(lines(laptop.db));
    for (const { database: store } of [laptop, desk]) store.abandon();
  });

  it('that cannot hold every text is refused before it gets tables', async () => {
    await world.run(
      'postgres',
      "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'",
    );
    await expect(world.client(world.address('latin')).prepare()).rejects.toThrow('latin is not in UTF-8');
    expect(await world.run('latin', "SELECT to_regnamespace('hermes_sync') AS made")).toEqual([{ made: null }]);
  });

  it('that cannot keep one conversation keeps the others', async () => {
    const database = await world.database();
    const laptop = await sessionDbWorld();
    const bad = ['s1', 's2', 's3', 's4'];
    for (const id of [...bad, 's5']) {
      laptop.db.createSession({ id, startedAt: 1 });
      answered(laptop.db, `t-${id}`, `Of ${id}.`, { sessionId: id });
    }
    laptop.db.synced.begin();
    const client = world.client(world.address(database));
    await client.prepare();
    await world.run(
      database,
      `CREATE FUNCTION damaged() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'invalid page in block 7' USING ERRCODE = 'XX001'; END $$`,
      `CREATE TRIGGER damaged BEFORE INSERT ON hermes_sync.bodies FOR EACH ROW
         WHEN (new.document NOT LIKE '%/%s5') EXECUTE FUNCTION damaged()`,
    );
    const refused = await roundOf(laptop.db, client, 'laptop').run();
    expect([
      refused.map(({ conversationId }) => conversationId),
      await world.run(database, 'SELECT conversation FROM hermes_sync.conversations WHERE version > 0'),
    ]).toEqual([bad, [{ conversation: 's5' }]]);
    laptop.database.abandon();
  });
});
