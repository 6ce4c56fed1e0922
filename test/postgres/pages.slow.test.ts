import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compressedServer } from '../../src/features/sync/core/compressedServer';
import { parseConnectionString } from '../../src/features/sync/core/postgres/connectionString';
import { PostgresServer } from '../../src/features/sync/core/postgres/postgresServer';
import { Cipher } from '../../src/features/sync/core/encryption/cipher';
import { encryptedServer } from '../../src/features/sync/core/encryption/encryptedServer';
import { fetchWhole, type SyncServer } from '../../src/features/sync/core/syncServer';
import { FaultProxy, type Fault } from '../support/postgres/faultProxy';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { answered, lines, sessionDbWorld, type SessionDbWorld } from '../support/sessionDbWorld';
import { first, pieces, second } from '../support/syncContract';
import { roundOf } from '../support/syncRound';

/** A 25th of the real one. */
const pageBytes = 20_000;
/** What 100 KB/s carry in a minute, at that measure. */
const minuteBytes = 240_000;
const rounds = 400;

let world: PostgresWorld;
beforeAll(async () => {
  world = await PostgresWorld.start();
});
afterAll(() => world.close());

interface Line {
  readonly proxy: FaultProxy;
  readonly server: PostgresServer;
  close(): Promise<void>;
}

/** A way to a database that is cut each minute. */
async function cutLine(database: string, direction: Fault['direction'], bytes = pageBytes): Promise<Line> {
  const proxy = await FaultProxy.start(world.server.port);
  proxy.fault = { kind: 'cut', direction, afterBytes: minuteBytes };
  const url = world.server.url(database).replace(`:${world.server.port}/`, `:${proxy.port}/`);
  const server = new PostgresServer({ address: parseConnectionString(url), history: 'h', pageBytes: bytes });
  return { proxy, server, close: () => server.dispose().then(() => proxy.close()) };
}

/** A session of many turns, some of them with a picture that is longer than what is sent in a minute. */
async function longSession(): Promise<SessionDbWorld> {
  const laptop = await sessionDbWorld();
  laptop.db.createSession({ id: 's1', startedAt: 1, title: 'Pictures' });
  for (let turn = 0; turn < 12; turn++) {
    const bytes = turn % 8 === 0 ? 250_000 : 10_000;
    answered(laptop.db, `t${turn}`, `${randomBytes(bytes).toString('base64')} 🖼️ ${turn}`);
  }
  laptop.db.synced.begin();
  return laptop;
}

/** Runs rounds until nothing fails and nothing is left. Returns how many; null when there is no end. */
async function until(isDone: () => boolean, run: () => Promise<unknown>): Promise<number | null> {
  for (let round = 1; round <= rounds; round++) {
    await run().catch(() => undefined);
    if (isDone()) return round;
  }
  return null;
}

const encrypted = (server: SyncServer): SyncServer =>
  encryptedServer(server, new Cipher(new Uint8Array(32).fill(7), 'h'));

async function stored(database: string): Promise<number> {
  const [row] = await world.run(database, 'SELECT sum(octet_length(body))::int AS n FROM hermes_sync.bodies');
  return Number(row?.['n']);
}

describe('a session with pictures, over a line that is cut each minute', () => {
  it.each([
    ['compressed', compressedServer],
    ['encrypted', encrypted],
  ])('arrives %s in both directions, once, and never in halves', async (_name, wrapped) => {
    const database = await world.database();
    const [laptop, desk] = [await longSession(), await sessionDbWorld()];
    desk.db.synced.begin();
    await world.client(world.address(database)).prepare();
    const direct = world.client(world.address(database));
    const connection = await direct.connect('other', 'Other');

    const up = await cutLine(database, 'there');
    const halves: number[] = [];
    const sent = await until(
      () => laptop.db.synced.pending().length === 0,
      async () => {
        const { heads } = await direct.news(connection, 0);
        const { documents } = await fetchWhole(direct, connection, {
          conversationId: 's1',
          since: 0,
          chain: [],
          documents: [],
        });
        halves.push(heads.length + documents.length);
        await roundOf(laptop.db, wrapped(up.server), 'laptop').run();
      },
    );
    await up.close();
    const content = await stored(database);
    expect([sent, new Set(halves)]).toEqual([expect.any(Number), new Set([0])]);
    expect(up.proxy.bytes.there / content).toBeLessThan(1.3);
    expect(await world.run(database, 'SELECT * FROM hermes_sync.parts')).toEqual([]);

    const down = await cutLine(database, 'back');
    const shown = new Set<number>();
    const round = () => roundOf(desk.db, wrapped(down.server), 'desk');
    const received = await until(
      () => desk.db.getSession('s1') !== null,
      () => round().run(),
    );
    shown.add(lines(desk.db).length);
    await down.close();
    expect([received, shown]).toEqual([expect.any(Number), new Set([24])]);
    expect(down.proxy.bytes.back / content).toBeLessThan(1.3);
    expect(lines(desk.db)).toEqual(lines(laptop.db));
    for (const { database: file } of [laptop, desk]) file.abandon();
  });

  it('never arrives in one piece', async () => {
    const database = await world.database();
    const laptop = await longSession();
    await world.client(world.address(database)).prepare();
    const up = await cutLine(database, 'there', 2 ** 30);
    const run = () => roundOf(laptop.db, compressedServer(up.server), 'laptop').run();
    for (let round = 0; round < 5; round++) await run().catch(() => undefined);
    await up.close();
    const direct = world.client(world.address(database));
    expect((await direct.news(await direct.connect('other', 'Other'), 0)).heads).toEqual([]);
    expect(up.proxy.bytes.there).toBeGreaterThan(5 * minuteBytes);
    laptop.database.abandon();
  });
});

describe('a sending in pages', () => {
  const documents = Array.from({ length: 8 }, (_, n) => ({
    document: `turn/${n}`,
    body: 'x'.repeat(pageBytes),
    change: n,
  }));
  const sending = { conversationId: 'c', ...first, fence: null, changes: documents, documents: pieces(...documents) };
  const sent = async (server: SyncServer, changes: typeof sending): Promise<string> => {
    const connection = await server.connect('a', 'A');
    for (;;) {
      const { kind } = await server.send(connection, changes);
      if (kind !== 'more') return kind;
    }
  };

  it('may take longer at its end than an answer', async () => {
    const database = await world.database();
    const server = new PostgresServer({ address: world.address(database), history: 'h', pageBytes, timeoutMs: 1000 });
    await server.prepare();
    await world.run(
      database,
      `CREATE FUNCTION hermes_sync.wait() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_sleep(0.25); RETURN new; END $$`,
      'CREATE TRIGGER wait BEFORE INSERT ON hermes_sync.bodies FOR EACH ROW EXECUTE FUNCTION hermes_sync.wait()',
    );
    expect(await sent(server, sending)).toBe('done');
    await server.dispose();
  });

  it('leaves nothing of a conversation that is forgotten while a page is on its way', async () => {
    const database = await world.database();
    const [server, other] = [
      new PostgresServer({ address: world.address(database), history: 'h', pageBytes }),
      world.client(world.address(database)),
    ];
    const connection = await server.connect('a', 'A');
    const cut = async function* () {
      for (const [at, document] of documents.entries()) {
        if (at === 3) await other.erase(connection, { conversationId: 'c' });
        yield [document];
      }
    };
    // The window is closed after the pages of its turn.
    expect(await server.send(connection, { ...sending, documents: cut })).toEqual({ kind: 'more' });
    expect(await world.run(database, 'SELECT document FROM hermes_sync.parts')).toEqual([]);
    await server.dispose();
  });
});

describe('a download in pages', () => {
  const query = { conversationId: 'c', since: 0, chain: [], documents: [] };
  const body = (text: string): string => text.repeat(2 * pageBytes);
  async function begun() {
    const database = await world.database();
    const [near, far] = [world.client(world.address(database)), paged(database)];
    const connection = await near.connect('a', 'A');
    const documents = Array.from({ length: 6 }, (_, n) => ({ document: `turn/${n}`, body: body(String(n)) }));
    await near.send(connection, { conversationId: 'c', ...first, fence: null, documents: pieces(...documents) });
    expect(await far.fetch(connection, query)).toBeNull();
    return { database, near, far, connection };
  }
  const paged = (database: string): PostgresServer =>
    new PostgresServer({ address: world.address(database), history: 'h', pageBytes });

  it('ends with what the server has at the last page', async () => {
    const { near, far, connection } = await begun();
    const changed = { document: 'turn/0', body: body('new') };
    await near.send(connection, { conversationId: 'c', ...second, fence: null, documents: pieces(changed) });
    const all = await fetchWhole(near, connection, query);
    const found = await fetchWhole(far, connection, query);
    const sorted = ({ documents, ...rest }: typeof all) => [
      rest,
      [...documents].sort((one, other) => (one.document < other.document ? -1 : 1)),
    ];
    expect(sorted(found)).toEqual(sorted(all));
    expect(found.documents.find(({ document }) => document === 'turn/0')).toEqual({ ...changed, version: 2 });
    await far.dispose();
  });

  it('begins again when the server lost the version that it began with', async () => {
    const { database, near, far, connection } = await begun();
    await world.run(
      database,
      "UPDATE hermes_sync.tails SET tail = 'other'",
      "UPDATE hermes_sync.conversations SET tail = 'other'",
      `UPDATE hermes_sync.bodies SET body = replace(body, '0', 'X')`,
    );
    const found = await fetchWhole(far, connection, query);
    expect(found.chain).toEqual([{ version: 1, tail: 'other' }]);
    expect(found.documents.find(({ document }) => document === 'turn/0')?.body).toBe(body('X'));
    expect(found.documents.length).toBe((await fetchWhole(near, connection, query)).documents.length);
    await far.dispose();
  });
});
