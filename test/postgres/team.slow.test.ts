import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../../src/features/sync/core/postgres/connectionFailure';
import type { DatabaseAddress } from '../../src/features/sync/core/postgres/connectionString';
import { schemaSql } from '../../src/features/sync/core/postgres/schema';
import { syncFailureIn } from '../../src/features/sync/core/syncFailure';
import { fetchWhole } from '../../src/features/sync/core/syncServer';
import { documentedSql } from '../support/postgres/documentedSql';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { answered, sessionDbWorld, type SessionDbWorld } from '../support/sessionDbWorld';
import { firstSending } from '../support/syncContract';
import { roundOf } from '../support/syncRound';

type Row = Record<string, unknown>;

const passwords = { anna: 'choose-a-password', ben: 'choose-another-password' } as const;
type Person = keyof typeof passwords;

const [roles = '', rows = '', audit = '', retention = '', leaving = ''] = documentedSql('A team on one database', 5);
const steps = { roles, rows, audit, retention, leaving };
const tables = schemaSql('hermes_members');
/** The end of the first step, which may run again. */
const limitsSql = roles.slice(roles.indexOf('DO $$'));

let world: PostgresWorld;
let database: string;
beforeAll(async () => {
  world = await PostgresWorld.start();
  // The administrator of a rented server is no superuser.
  await world.run('postgres', `CREATE ROLE dba LOGIN CREATEROLE PASSWORD 'd'`);
  database = await world.database();
  await world.run('postgres', `ALTER DATABASE ${database} OWNER TO dba`);
  for (const sql of [steps.roles, tables, steps.rows, steps.audit, steps.retention]) await asDba(sql);
});
afterAll(() => world.close());

const asDba = (sql: string): Promise<readonly Row[]> => run('dba', 'd', sql);
const as = (person: Person, sql: string): Promise<readonly Row[]> => run(person, passwords[person], sql);
const address = (person: Person): DatabaseAddress => world.address(database, person, passwords[person]);

/** Runs statements as a user of the database. Resolves with the rows of the last one. */
async function run(user: string, password: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: world.server.url(database, user, password) });
  await client.connect();
  try {
    const results: unknown = await client.query(sql);
    const last: unknown = Array.isArray(results) ? results.at(-1) : results;
    return typeof last === 'object' && last !== null && 'rows' in last && Array.isArray(last.rows)
      ? last.rows.filter((row): row is Row => typeof row === 'object')
      : [];
  } finally {
    await client.end();
  }
}

/** Condition on the bodies of a history. */
const ofHistory = (person: Person, history: string): string =>
  `(person, key) IN (SELECT person, key FROM hermes_sync.conversations
    WHERE person = '${person}' AND history = '${history}')`;

/** SQLSTATE with which the server refuses it; "done" if it does not. */
const refusal = (work: Promise<unknown>): Promise<string | null> => work.then(() => 'done', codeOf);

async function sent(person: Person, history: string, conversationId: string, body: string): Promise<void> {
  const client = world.client(address(person), history);
  const connection = await client.connect('laptop', `Laptop of ${person}`);
  const answer = await client.send(connection, firstSending(conversationId, body));
  expect(answer).toEqual({ kind: 'done', version: 1 });
  await client.keepSeal(`seal of ${person}`);
  await client.lease(connection, 'running');
  await client.turns('desk').watch('running');
  await client.confirmErased(connection, 'gone');
  const part = `INSERT INTO hermes_sync.parts (key, sending, document, part) VALUES (1, 's', 'd', 0)`;
  await as(person, `${part} ON CONFLICT DO NOTHING`);
}

/** Tables of the history that a member could read or write beyond the own rows. */
async function unprotected(): Promise<readonly unknown[]> {
  const found = await asDba(
    `SELECT c.relname FROM pg_class c
     WHERE c.relnamespace = 'hermes_sync'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND NOT (c.relrowsecurity AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid))
       AND NOT (c.relname = 'layout' AND NOT has_table_privilege('hermes_members', c.oid, 'INSERT, UPDATE, DELETE'))
     ORDER BY 1`,
  );
  return found.map(({ relname }) => relname);
}

/** Names of the tables with rows of people. */
async function tablesOfPeople(): Promise<readonly string[]> {
  const found = await asDba(
    `SELECT table_name FROM information_schema.columns WHERE table_schema = 'hermes_sync' AND column_name = 'person'`,
  );
  return found.map((row) => String(row.table_name)).sort();
}

describe('people of a team', () => {
  it('are protected in every table, also in one that a newer version adds, once the steps are run again', async () => {
    expect(await unprotected()).toEqual([]);
    await asDba(`CREATE TABLE hermes_sync.later (person TEXT NOT NULL DEFAULT current_user); ${tables}`);
    const before = await unprotected();
    await asDba(`BEGIN; ${tables}; ${steps.rows}; COMMIT`);
    const after = await unprotected();
    await asDba('DROP TABLE hermes_sync.later');
    expect([before, after]).toEqual([['later', 'layout'].sort(), []]);
  });

  it('see only their own rows, also of a conversation and a history of the same name', async () => {
    await sent('anna', 'shared', 'c', '"of Anna"');
    await sent('ben', 'shared', 'c', '"of Ben"');
    const names = await tablesOfPeople();
    const seen = (): Promise<readonly (readonly unknown[])[]> =>
      Promise.all(
        names.map(async (table) => [
          table,
          ...(await as('ben', `SELECT DISTINCT person FROM hermes_sync.${table} ORDER BY 1`)).map(
            ({ person }) => person,
          ),
        ]),
      );
    expect(await seen()).toEqual(names.map((table) => [table, 'ben']));
    const reader = world.client(address('ben'), 'shared');
    const { documents } = await fetchWhole(reader, await reader.connect('desk', 'Desk'), {
      conversationId: 'c',
      since: 0,
      chain: [],
      documents: [],
    });
    expect([documents.map(({ body }) => body), await reader.sealDescription()]).toEqual([['"of Ben"'], 'seal of ben']);
    // Without the policies the same question is answered with the rows of both.
    await asDba(names.map((table) => `ALTER TABLE hermes_sync.${table} DISABLE ROW LEVEL SECURITY`).join(';'));
    const open = await seen();
    await asDba(names.map((table) => `ALTER TABLE hermes_sync.${table} ENABLE ROW LEVEL SECURITY`).join(';'));
    expect(open).toEqual(names.map((table) => [table, 'anna', 'ben']));
  });

  it('cannot write, move or remove rows of others', async () => {
    await sent('anna', 'writing', 'c', '"of Anna"');
    await sent('ben', 'writing', 'c', '"of Ben"');
    const columns = '(person, key, document, version)';
    expect([
      await refusal(as('ben', `INSERT INTO hermes_sync.bodies ${columns} VALUES ('anna', 1, 'd', 1)`)),
      await refusal(as('ben', `UPDATE hermes_sync.bodies SET person = 'anna' WHERE document = 'turn/t'`)),
      await refusal(as('ben', 'TRUNCATE hermes_sync.bodies')),
      await refusal(as('ben', 'UPDATE hermes_sync.layout SET version = 99')),
      await refusal(as('ben', 'CREATE TABLE hermes_sync.mine (a TEXT)')),
      await refusal(as('ben', `SELECT hermes_sync.forget_older_than(interval '0', 1)`)),
    ]).toEqual(Array.from({ length: 6 }, () => '42501'));
    await as('ben', `UPDATE hermes_sync.bodies SET body = '' WHERE person = 'anna'`);
    await as('ben', `DELETE FROM hermes_sync.bodies WHERE person = 'anna'`);
    const left = await asDba(`SELECT body FROM hermes_sync.bodies WHERE ${ofHistory('anna', 'writing')}`);
    expect(left).toEqual([{ body: '"of Anna"' }]);
  });

  it('wait for a lock of another member only so long, and that member’s idle transaction is ended', async () => {
    const limits = async (): Promise<readonly unknown[]> => [
      (await as('anna', 'SHOW lock_timeout'))[0],
      (await as('ben', 'SHOW idle_in_transaction_session_timeout'))[0],
    ];
    expect(await limits()).toEqual([{ lock_timeout: '20s' }, { idle_in_transaction_session_timeout: '1min' }]);
    const held = new Client({ connectionString: world.server.url(database, 'ben', passwords.ben) });
    const ended = new Promise<string | null>((resolve) => held.on('error', (error) => resolve(codeOf(error))));
    for (const mode of ['SHARE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE']) {
      await asDba(`ALTER DATABASE ${database} SET lock_timeout = '50ms'`);
      const holder = new Client({ connectionString: world.server.url(database, 'ben', passwords.ben) });
      await holder.connect();
      await holder.query(`BEGIN; LOCK TABLE hermes_sync.bodies IN ${mode} MODE`);
      const refused = await sent('anna', 'locked', mode, '"of Anna"').catch(syncFailureIn);
      await holder.end();
      expect([mode, refused]).toMatchObject([mode, { kind: 'busy', isTemporary: true }]);
    }
    await asDba(`ALTER DATABASE ${database} SET idle_in_transaction_session_timeout = '50ms'`);
    await held.connect();
    await held.query('BEGIN; LOCK TABLE hermes_sync.bodies IN SHARE MODE');
    expect(await ended).toBe('25P03');
    await asDba(limitsSql);
    await sent('anna', 'unlocked', 'c', '"of Anna"');
    expect(await limits()).toEqual([{ lock_timeout: '20s' }, { idle_in_transaction_session_timeout: '1min' }]);
  });
});

describe('an auditor', () => {
  it('sees who keeps how much, and no text', async () => {
    await sent('anna', 'audited', 'c', '"a secret sentence"');
    await asDba(`CREATE ROLE auditor LOGIN PASSWORD 'a' IN ROLE hermes_auditors`);
    const views = ['people', 'machines', 'last_sendings', 'erasures'];
    const rows = await Promise.all(views.map((view) => run('auditor', 'a', `SELECT * FROM hermes_audit.${view}`)));
    expect(JSON.stringify(rows)).not.toContain('secret');
    const [people = [], , sendings = []] = rows;
    const ofAnna = ({ person, history }: Row): boolean => person === 'anna' && history === 'audited';
    expect(people.filter(ofAnna)).toMatchObject([{ conversations: '1', documents: '1' }]);
    expect(sendings.filter(ofAnna)).toMatchObject([{ machine: 'Laptop of anna', conversation: 'c', version: '1' }]);
    expect([
      await refusal(run('auditor', 'a', 'SELECT body FROM hermes_sync.bodies')),
      await refusal(as('anna', 'SELECT * FROM hermes_audit.people')),
    ]).toEqual(['42501', '42501']);
  });
});

describe('retention', () => {
  it('forgets what is old on the server and on all machines, and keeps what is young or leased', async () => {
    const [laptop, desk] = [await sessionDbWorld(), await sessionDbWorld()];
    for (const { db } of [laptop, desk]) db.synced.begin();
    for (const id of ['old', 'young', 'leased']) {
      laptop.db.createSession({ id, startedAt: 1, title: id });
      answered(laptop.db, `t-${id}`, 'An answer.', { sessionId: id });
    }
    const server = world.client(address('anna'), 'kept');
    const [here, there] = [roundOf(laptop.db, server, 'laptop'), roundOf(desk.db, server, 'desk')];
    await here.run();
    await there.run();
    await server.lease(await here.connected(), 'leased');
    await asDba(
      `UPDATE hermes_sync.conversations SET changed_at = now() - interval '400 days'
       WHERE history = 'kept' AND conversation IN ('old', 'leased')`,
    );
    // Not yet sent: this is erased too, as by a person who forgets the session.
    answered(desk.db, 't-late', 'Added later.', { sessionId: 'old' });
    const forget = `SELECT hermes_sync.forget_older_than(interval '365 days', 1000) AS n`;
    expect([await asDba(forget), await asDba(forget)]).toEqual([[{ n: '1' }], [{ n: '0' }]]);
    for (const each of [here, there, here]) await each.run();
    const ids = ({ db }: SessionDbWorld): readonly string[] => db.listSessions({ limit: 9 }).map(({ id }) => id);
    expect([ids(laptop), ids(desk)].map((list) => [...list].sort())).toEqual([
      ['leased', 'young'],
      ['leased', 'young'],
    ]);
    expect([laptop, desk].flatMap(({ db }) => db.verifyIntegrity())).toEqual([]);
    for (const { database: store } of [laptop, desk]) store.abandon();
  });
});

describe('somebody who leaves', () => {
  it('leaves nothing behind, also for a later role of the same name, and takes nothing of others along', async () => {
    await sent('anna', 'left', 'c', '"of Anna"');
    await sent('ben', 'left', 'c', '"of Ben"');
    const open = new Client({ connectionString: world.server.url(database, 'ben', passwords.ben) });
    await open.connect();
    const read = (): Promise<unknown> => open.query('SELECT body FROM hermes_sync.bodies');
    expect(await refusal(read())).toBe('done');
    await asDba(steps.leaving.slice(0, steps.leaving.indexOf('DROP ROLE')));
    expect(await refusal(read())).toBe('42501');
    await open.end();
    await asDba('DROP ROLE ben');
    expect(await refusal(as('ben', 'SELECT 1'))).toBe('28P01');
    await asDba(`CREATE ROLE ben LOGIN PASSWORD '${passwords.ben}'; GRANT hermes_members TO ben`);
    for (const table of await tablesOfPeople())
      expect([table, await as('ben', `SELECT * FROM hermes_sync.${table}`)]).toEqual([table, []]);
    expect(await as('anna', `SELECT body FROM hermes_sync.bodies WHERE ${ofHistory('anna', 'left')}`)).toEqual([
      { body: '"of Anna"' },
    ]);
  });
});
