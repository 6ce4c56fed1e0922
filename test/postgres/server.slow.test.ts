import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headsDigest } from '../../src/store/headsDigest';
import { schemaVersion } from '../../src/sync/postgres/schema';
import { SyncFailure } from '../../src/sync/syncFailure';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { sameOnAll, threeMachines } from '../support/postgres/threeMachines';
import { answered, sessionDbWorld, type SessionDbWorld } from '../support/sessionDbWorld';
import { first, firstSending, second } from '../support/syncContract';
import { roundOf } from '../support/syncRound';

let world: PostgresWorld;
beforeAll(async () => {
  world = await PostgresWorld.start();
});
afterAll(() => world.close());

const failureOf = async (work: Promise<unknown>): Promise<SyncFailure> => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SyncFailure) return error;
  throw new Error(`not a SyncFailure: ${String(error)}`);
};

describe('the tables', () => {
  it('are made once by eight clients that come at the same time', async () => {
    const address = world.address(await world.database());
    const clients = Array.from({ length: 8 }, () => world.client(address));
    await Promise.all(clients.map((client) => client.prepare()));
    await Promise.all(clients.map((client, n) => client.connect(`m${n}`, 'M')));
    expect((await clients[0]?.overview())?.machines.length).toBe(8);
  });

  it('of an earlier Hermes get what is new', async () => {
    const database = await world.database();
    await world.client(world.address(database)).prepare();
    await world.run(database, 'DROP TABLE hermes_sync.versions', 'UPDATE hermes_sync.layout SET version = 1');
    await Promise.all(Array.from({ length: 3 }, () => world.client(world.address(database)).prepare()));
    const [row] = await world.run(
      database,
      "SELECT version, to_regclass('hermes_sync.versions') IS NOT NULL AS known FROM hermes_sync.layout",
    );
    expect(row).toEqual({ version: schemaVersion, known: true });
  });

  it('of layout 2 keep everything that was sent, and count it', async () => {
    const database = await world.database();
    const before = world.client(world.address(database));
    const connection = await before.connect('a', 'A');
    for (const id of ['c1', 'c2', 'c3']) await before.send(connection, firstSending(id));
    await before.erase(connection, { conversationId: 'c3' });
    await world.run(
      database,
      'DROP TABLE hermes_sync.histories',
      `ALTER TABLE hermes_sync.conversations DROP COLUMN tail, DROP COLUMN change, DROP COLUMN origin,
         DROP COLUMN changed_at`,
      'ALTER TABLE hermes_sync.machines ADD COLUMN writer BIGINT NOT NULL DEFAULT 1, ADD COLUMN last BIGINT',
      'CREATE TABLE hermes_sync.sendings (number BIGINT)',
      'UPDATE hermes_sync.layout SET version = 2',
    );
    const clients = Array.from({ length: 3 }, () => world.client(world.address(database)));
    await Promise.all(clients.map((client, n) => client.connect(`m${n}`, 'M')));
    const [client = before] = clients;
    const heads = async () => {
      const { heads: all, changes, digest } = await client.news(connection, null);
      const known = all.map(({ conversationId, version, tail }) => [conversationId, version, tail]);
      return [known, changes, digest === headsDigest(all)];
    };
    const [c1, c2, c3] = [
      ['c1', 1, 'tail 1'],
      ['c2', 1, 'tail 1'],
      ['c3', 2, 'erased'],
    ];
    expect(await heads()).toEqual([[c1, c2, c3], 3, true]);
    await client.send(connection, { ...firstSending('c1'), ...second });
    expect(await heads()).toEqual([[c2, c3, ['c1', 2, 'tail 2']], 4, true]);
    expect(
      (await client.fetch(connection, { conversationId: 'c2', since: 0, chain: [], documents: [] })).documents,
    ).toEqual([{ document: 'turn/t', version: 1, body: '1' }]);
  });
});

describe('a failure of a real server', () => {
  it('that revoked its rights or became read-only says so, and works again afterwards', async () => {
    const database = await world.database();
    const client = world.client(world.address(database));
    const connection = await client.connect('a', 'A');
    await world.run(database, `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    const again = world.client(world.address(database));
    expect((await failureOf(again.connect('a', 'A'))).kind).toBe('readOnly');
    await world.run('postgres', `ALTER DATABASE ${database} SET default_transaction_read_only = off`);
    expect((await client.news(connection, 0)).heads.length).toBe(0);
  });
});

describe('many writers', () => {
  it('are all read, each once, by a reader that never stops, although their transactions end in any order', async () => {
    const address = world.address(await world.database());
    const reader = world.client(address);
    const reading = await reader.connect('reader', 'R');
    const writers = 12;
    const each = 25;
    const seen: string[] = [];
    let after = 0;
    const read = async (): Promise<void> => {
      const { heads, changes } = await reader.news(reading, after);
      seen.push(...heads.map(({ conversationId }) => conversationId));
      after = changes;
    };
    let isOver = false;
    const following = (async () => {
      while (!isOver) await read();
    })();
    await Promise.all(
      Array.from({ length: writers }, async (_, n) => {
        const client = world.client(address);
        const connection = await client.connect(`w${n}`, 'W');
        for (let number = 1; number <= each; number++)
          await client.send(connection, {
            conversationId: `w${n}-${number}`,
            ...first,
            fence: null,
            documents: async function* () {
              // Some transactions stay open longer than others.
              await new Promise((resolve) => setTimeout(resolve, (n * 7 + number) % 5));
              yield [{ document: 'turn/t', body: 'x'.repeat(number) }];
            },
          });
      }),
    );
    isOver = true;
    await following;
    await read();
    expect([seen.length, new Set(seen).size]).toEqual([writers * each, writers * each]);
  });

  it('of one conversation: one is taken, the others are told that they are behind', async () => {
    const address = world.address(await world.database());
    const answers = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const client = world.client(address);
        const connection = await client.connect(`m${n}`, 'M');
        return client.send(connection, firstSending('c', String(n)));
      }),
    );
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['behind', 'behind', 'behind', 'behind', 'behind', 'done']);
  });

  it('work on a database that only serializes', async () => {
    const database = await world.database();
    await world.run(database, `ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable'`);
    const address = world.address(database);
    const answers = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const client = world.client(address);
        const connection = await client.connect(`m${n}`, 'M');
        const kinds: string[] = [];
        for (let number = 1; number <= 8; number++)
          kinds.push((await client.send(connection, firstSending(`c${n}-${number}`))).kind);
        return kinds;
      }),
    );
    expect(new Set(answers.flat())).toEqual(new Set(['done']));
  });
});

describe('three machines and a real server', () => {
  it('end with the same rows, whatever happens', async () => {
    for (let run = 0; run < 12; run++)
      expect(await threeMachines(world, await world.database(), { seed: 11 + run, steps: 50 })).toEqual(sameOnAll);
  });
});

describe('the same server under another name', () => {
  it('is the same history: what went on meanwhile is no branch, and what was forgotten does not come back', async () => {
    const address = world.address(await world.database());
    const stores = await Promise.all(['a', 'b'].map(() => sessionDbWorld()));
    for (const [at, { db }] of stores.entries()) {
      db.synced.begin();
      if (at > 0) continue;
      for (const id of ['s1', 's2']) {
        db.createSession({ id, startedAt: 1 });
        answered(db, `t-${id}`, 'Words.', { sessionId: id });
      }
    }
    const exchange = async (host: string): Promise<void> => {
      for (const at of [0, 1, 0])
        await roundOf((stores[at] as SessionDbWorld).db, world.client({ ...address, host }), `m${at}`).run();
    };
    await exchange('127.0.0.1');
    const [a, b] = stores as [SessionDbWorld, SessionDbWorld];
    a.db.forgetSession('s2');
    await exchange('127.0.0.1');
    for (const { db } of [a, b]) answered(db, 't-more', 'The same.', { sessionId: 's1' });
    await exchange('localhost');
    const generation = (await world.client({ ...address, host: 'localhost' }).news({ origin: '' }, 0)).generation;
    expect([a, b].map(({ db }) => db.synced.read()?.generation)).toEqual([generation, generation]);
    // Without proofs the other machine keeps what was forgotten in its trash.
    expect([a, b].map(({ db }) => db.listSessions({ limit: 9 }).map(({ id }) => id))).toEqual([['s1'], ['s1']]);
  });
});
