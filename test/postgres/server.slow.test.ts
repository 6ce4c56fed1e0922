import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headsDigest } from '../../src/store/headsDigest';
import { schemaVersion } from '../../src/features/sync/core/postgres/schema';
import { fetchWhole } from '../../src/features/sync/core/syncServer';
import { SyncFailure } from '../../src/features/sync/core/syncFailure';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { sameOnAll, threeMachines } from '../support/postgres/threeMachines';
import { answered, sessionDbWorld, type SessionDbWorld } from '../support/sessionDbWorld';
import { first, firstSending, pieces, second } from '../support/syncContract';
import { roundOf } from '../support/syncRound';

/** Makes the tables those of layout 3, with the rows that are there. */
const layout3 = [
  ...[
    ['documents', 'bodies', 'document TEXT, version BIGINT, body TEXT, changed_at TIMESTAMPTZ'],
    ['versions', 'tails', 'version BIGINT, tail TEXT'],
  ].flatMap(([old, table, columns = '']) => [
    `CREATE TABLE hermes_sync.${old} (person TEXT NOT NULL DEFAULT current_user, history TEXT NOT NULL,
       conversation TEXT NOT NULL, ${columns})`,
    `INSERT INTO hermes_sync.${old} SELECT person, history, conversation, ${columns
      .replaceAll(/ [A-Z]+/g, '')
      .replace('version', 't.version')
      .replace(' tail', ' t.tail')
      .replace('changed_at', 't.changed_at')}
     FROM hermes_sync.${table} t JOIN hermes_sync.conversations USING (person, key)`,
    `DROP TABLE hermes_sync.${table}`,
  ]),
  'DROP TABLE hermes_sync.parts',
  'ALTER TABLE hermes_sync.conversations DROP COLUMN key',
  'UPDATE hermes_sync.layout SET version = 3',
];
/** Makes those of layout 3 the ones of layout 2. */
const layout2 = [
  'DROP TABLE hermes_sync.histories',
  `ALTER TABLE hermes_sync.conversations DROP COLUMN tail, DROP COLUMN change, DROP COLUMN origin,
     DROP COLUMN changed_at`,
  'ALTER TABLE hermes_sync.machines ADD COLUMN writer BIGINT NOT NULL DEFAULT 1, ADD COLUMN last BIGINT',
  'CREATE TABLE hermes_sync.sendings (number BIGINT)',
  'UPDATE hermes_sync.layout SET version = 2',
];

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
    await world.run(database, 'DROP TABLE hermes_sync.tails', 'UPDATE hermes_sync.layout SET version = 1');
    await Promise.all(Array.from({ length: 3 }, () => world.client(world.address(database)).prepare()));
    const [row] = await world.run(
      database,
      "SELECT version, to_regclass('hermes_sync.tails') IS NOT NULL AS known FROM hermes_sync.layout",
    );
    expect(row).toEqual({ version: schemaVersion, known: true });
  });

  it.each([2, 3])('of layout %i keep everything that was sent, and count it', async (layout) => {
    const database = await world.database();
    const before = world.client(world.address(database));
    const connection = await before.connect('a', 'A');
    for (const id of ['c1', 'c2', 'c3']) await before.send(connection, firstSending(id));
    await before.erase(connection, { conversationId: 'c3' });
    await world.run(database, ...layout3, ...(layout === 2 ? layout2 : []));
    await expect(world.run(database, 'SELECT * FROM hermes_sync.tails')).rejects.toThrow('does not exist');
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
    const counted = layout === 2 ? 3 : 4;
    expect(await heads()).toEqual([[c1, c2, c3], counted, true]);
    await client.send(connection, { ...firstSending('c1'), ...second });
    expect(await heads()).toEqual([[c2, c3, ['c1', 2, 'tail 2']], counted + 1, true]);
    const fetched = await fetchWhole(client, connection, {
      conversationId: 'c2',
      since: 0,
      chain: [],
      documents: [],
    });
    expect([fetched.documents, fetched.chain]).toEqual([
      [{ document: 'turn/t', version: 1, body: '1' }],
      [{ version: 1, tail: 'tail 1' }],
    ]);
    const left = await world.run(
      database,
      `SELECT table_name FROM information_schema.tables
       WHERE table_schema = 'hermes_sync' AND table_name IN ('documents', 'versions', 'sendings')`,
    );
    expect(left).toEqual([]);
  });

  it('tell a window that is still of layout 3 that they changed', async () => {
    const database = await world.database();
    await world.client(world.address(database)).prepare();
    const old = world.run(
      database,
      "INSERT INTO hermes_sync.conversations (history, conversation) VALUES ('h', 'c')",
      "SELECT tail FROM hermes_sync.versions WHERE conversation = 'c'",
    );
    // 42P01, upon which it looks at the layout.
    await expect(old).rejects.toThrow('"hermes_sync.versions" does not exist');
  });

  it('keep the last 256 tails of a conversation; a machine that is further behind receives all of it', async () => {
    const client = world.client(world.address(await world.database()));
    const connection = await client.connect('a', 'A');
    for (let base = 0; base < 258; base++)
      await client.send(connection, {
        ...firstSending('c'),
        base,
        baseTail: base === 0 ? null : `tail ${base}`,
        tail: `tail ${base + 1}`,
        documents: pieces({ document: `turn/${base + 1}`, body: '1' }),
      });
    const fetched = async (since: number) => {
      const chain = [{ version: since, tail: `tail ${since}` }];
      const query = { conversationId: 'c', since, chain, documents: [] };
      const { base, documents } = await fetchWhole(client, connection, query);
      return [base, documents.length];
    };
    expect([await fetched(257), await fetched(3), await fetched(2)]).toEqual([
      [257, 1],
      [3, 255],
      [0, 258],
    ]);
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
    const database = await world.database();
    const address = world.address(database);
    const reader = world.client(address);
    const reading = await reader.connect('reader', 'R');
    // Some transactions stay open longer than others, after they have got their number.
    await world.run(
      database,
      `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_sleep(random() * 0.004); RETURN new; END $$`,
      'CREATE TRIGGER slow AFTER UPDATE ON hermes_sync.conversations FOR EACH ROW EXECUTE FUNCTION slow()',
    );
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
            documents: pieces({ document: 'turn/t', body: 'x'.repeat(number) }),
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
