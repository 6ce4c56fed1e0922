import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOf } from '../../src/features/sync/core/postgres/connectionFailure';
import { currentPerson, schemaSql } from '../../src/features/sync/core/postgres/schema';
import { fetchWhole } from '../../src/features/sync/core/syncServer';
import { documentedSql } from '../support/postgres/documentedSql';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { rowsRead } from '../support/postgres/rowsRead';
import { sameOnAll, threeMachines } from '../support/postgres/threeMachines';
import { firstSending, pieces, second } from '../support/syncContract';

const [roles = '', rows = ''] = documentedSql('A team on one database', 2);
const [partitions = ''] = documentedSql('Partitions', 1);
const divided = ['conversations', 'bodies', 'tails'] as const;

let world: PostgresWorld;
let database: string;
beforeAll(async () => {
  world = await PostgresWorld.start({ settings: { autovacuum: 'off' } });
  database = await world.database();
  const tables = schemaSql('hermes_members');
  await world.run(database, roles, tables, rows);
  await sent('c1', 'before');
  await world.run(database, `BEGIN; ${partitions}; ${tables}; ${rows}; COMMIT`);
});
afterAll(() => world.close());

const anna = () => world.address(database, 'anna', 'choose-a-password');

async function sent(conversationId: string, body: string): Promise<void> {
  const client = world.client(anna());
  const connection = await client.connect('laptop', 'Laptop');
  const answer = await client.send(connection, firstSending(conversationId, body));
  expect(answer).toEqual({ kind: 'done', version: 1 });
  await client.dispose();
}

it('keep the rows of before, take new ones, and the indexes are those of the tables', async () => {
  await sent('c2', 'after');
  const client = world.client(anna());
  const connection = await client.connect('desk', 'Desk');
  const bodies = await Promise.all(
    ['c1', 'c2'].map(async (conversationId) =>
      (await fetchWhole(client, connection, { conversationId, since: 0, chain: [], documents: [] })).documents.map(
        ({ body }) => body,
      ),
    ),
  );
  expect(bodies).toEqual([['before'], ['after']]);
  expect((await client.news(connection, 0)).heads.map(({ conversationId }) => conversationId)).toEqual(['c1', 'c2']);
  await client.dispose();
  const indexes = await world.run(
    database,
    `SELECT tablename, count(*)::int AS n FROM pg_indexes WHERE schemaname = 'hermes_sync' GROUP BY 1 ORDER BY 1`,
  );
  expect(indexes.map(({ tablename, n }) => [tablename, n])).toEqual([
    ['bodies', 2],
    ['conversations', 3],
    ['erasures', 1],
    ['histories', 1],
    ['layout', 1],
    ['machines', 1],
    ['parts', 1],
    ['seals', 1],
    ['tails', 1],
    ['turns', 1],
  ]);
});

it('serve three machines, whatever happens', async () => {
  expect(await threeMachines(world, database, { seed: 3, steps: 80, connect: anna() })).toEqual(sameOnAll);
});

it('of others are not read for what one person asks', async () => {
  await world.run(database, 'ANALYZE');
  const read = await rowsRead(world, anna(), async (client) => {
    const connection = await client.connect('desk', 'Desk');
    await client.news(connection, 0);
    await client.fetch(connection, { conversationId: 'c1', since: 0, chain: [], documents: [] });
    const documents = pieces({ document: 'turn/u', body: 'more' });
    const sending = { conversationId: 'c1', ...second, fence: null, documents };
    expect((await client.send(connection, sending)).kind).toBe('done');
    expect((await client.lease(connection, 'c1')).kind).toBe('granted');
    await client.erase(connection, { conversationId: 'c2' });
    await client.overview();
  });
  const partitionsRead = divided.map((table) => [...read.keys()].filter((name) => name.startsWith(`${table}_`)).length);
  expect(partitionsRead).toEqual([1, 1, 1]);
  const plan = await explained(`SELECT body FROM hermes_sync.bodies WHERE person = ${currentPerson} AND key = 1`);
  expect(plan).toContain('Subplans Removed: 15');
  // Without the collation all of them are read.
  const other = await explained(`SELECT body FROM hermes_sync.bodies WHERE person = current_user AND key = 1`, true);
  expect(other).not.toContain('Subplans Removed');
});

it('cannot be read past the policies', async () => {
  const client = new Client({ connectionString: world.server.url(database, 'ben', 'choose-another-password') });
  await client.connect();
  const refused: (string | null)[] = [];
  for (let part = 0; part < 16; part++)
    refused.push(await client.query(`SELECT * FROM hermes_sync_parts.documents_${part}`).then(() => 'done', codeOf));
  expect(await client.query('SELECT * FROM hermes_sync.bodies').then(({ rowCount }) => rowCount)).toBe(0);
  await client.end();
  expect(new Set(refused)).toEqual(new Set(['42501']));
});

/** Plan of a statement of Anna, or of the owner of the tables, whom no policy limits. */
async function explained(sql: string, isOwner = false): Promise<string> {
  const url = isOwner ? world.server.url(database) : world.server.url(database, 'anna', 'choose-a-password');
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows: lines } = await client.query<Record<string, unknown>>(`EXPLAIN (COSTS OFF) ${sql}`);
  await client.end();
  return lines.map((line) => String(line['QUERY PLAN'])).join('\n');
}
