import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { fetchWhole } from '../../src/features/sync/core/syncServer';
import { rowsRead } from '../support/postgres/rowsRead';
import { pieces } from '../support/syncContract';

let world: PostgresWorld;
beforeAll(async () => {
  // Cleaning happens when a test asks for it.
  world = await PostgresWorld.start({ settings: { autovacuum: 'off' } });
});
afterAll(() => world.close());

const people = 200;

/** A database in which each person has 20 histories, and in one of them three machines, 20 conversations and 500
 *  documents. */
async function crowded(): Promise<string> {
  const database = await world.database();
  const client = world.client(world.address(database));
  await client.prepare();
  await client.dispose();
  const each = `FROM generate_series(1, ${people}) p, generate_series(1, 20) c`;
  await world.run(
    database,
    `INSERT INTO hermes_sync.machines (person, history, origin, name)
     SELECT 'person' || p, 'h', 'm' || m, 'M' FROM generate_series(1, ${people}) p, generate_series(1, 3) m`,
    `INSERT INTO hermes_sync.conversations (person, history, conversation, key, version, tail, change)
     SELECT 'person' || p, 'h', 'c' || c, c, 25, 'tail 25', c ${each}`,
    `INSERT INTO hermes_sync.histories (person, history, generation, changes)
     SELECT 'person' || p, CASE WHEN c = 1 THEN 'h' ELSE 'h' || c END, 'one', 20 ${each}`,
    `INSERT INTO hermes_sync.bodies (person, key, document, version, body)
     SELECT 'person' || p, c, 'turn/' || d, d, 'x' ${each}, generate_series(1, 25) d`,
    `INSERT INTO hermes_sync.tails (person, key, version, tail)
     SELECT 'person' || p, c, d, 'tail ' || d ${each}, generate_series(1, 25) d`,
    `INSERT INTO hermes_sync.seals (person, history, description) SELECT 'person' || p, 'h', repeat('x', 400)
     FROM generate_series(1, ${people}) p`,
    'VACUUM ANALYZE',
    `CREATE ROLE person7 LOGIN PASSWORD 'p'`,
    'GRANT USAGE ON SCHEMA hermes_sync TO person7',
    'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hermes_sync TO person7',
  );
  return database;
}

describe('a server with 200 people', () => {
  it('reads a few rows of one person for what one person asks', async () => {
    const address = world.address(await crowded(), 'person7', 'p');
    const news: number[] = [];
    const idle = await rowsRead(world, address, async (client) => {
      for (let look = 0; look < 10; look++) news.push((await client.news({ origin: 'm2' }, 20)).heads.length);
    });
    expect(news).toEqual(Array.from({ length: 10 }, () => 0));
    // Each look reads the row of the history, and finds that nothing follows.
    expect([...idle].filter(([, read]) => read > 100)).toEqual([]);

    const busy = await rowsRead(world, address, async (client) => {
      const connection = await client.connect('m2', 'M');
      expect((await client.news(connection, 19)).heads.length).toBe(1);
      expect(
        (
          await fetchWhole(client, connection, {
            conversationId: 'c3',
            since: 20,
            chain: [{ version: 20, tail: 'tail 20' }],
            documents: [],
          })
        ).documents.length,
      ).toBe(5);
      const lease = await client.lease(connection, 'c4');
      const fence = lease.kind === 'granted' ? lease.fence : 0;
      expect(await client.renew(connection, 'c4', fence)).toBe(true);
      const documents = pieces({ document: 'turn/new', body: 'x' });
      const sending = {
        conversationId: 'c4',
        base: 25,
        baseTail: 'tail 25',
        tail: 'tail 26',
        fence,
        documents,
        sealedWith: 'x'.repeat(400),
      };
      expect(await client.send(connection, sending)).toEqual({ kind: 'done', version: 26 });
      await client.release(connection, 'c4', fence);
      expect(await client.versionOf(connection, 'c4', 'tail 26')).toBe(26);
      await client.erase(connection, { conversationId: 'c5' });
      expect((await client.sealDescription())?.length).toBe(400);
      await client.keepSeal('another');
    });
    expect([...busy.keys()]).toEqual(['bodies', 'conversations', 'histories', 'layout', 'machines', 'seals', 'tails']);
    expect([...busy].filter(([, read]) => read > 70)).toEqual([]);
  });
});
