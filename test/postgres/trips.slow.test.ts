import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log';
import { compressedServer } from '../../src/features/sync/core/compressedServer';
import { parseConnectionString } from '../../src/features/sync/core/postgres/connectionString';
import { PostgresServer } from '../../src/features/sync/core/postgres/postgresServer';
import { SyncService } from '../../src/features/sync/core/syncService';
import { FaultProxy } from '../support/postgres/faultProxy';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { ManualClock } from '../support/manualClock';
import { answered, lines, sessionDbWorld } from '../support/sessionDbWorld';
import { roundOf } from '../support/syncRound';

let world: PostgresWorld;
beforeAll(async () => {
  world = await PostgresWorld.start();
});
afterAll(() => world.close());

/** A machine behind a proxy, and a direct way to the same history. */
async function behindProxy() {
  const database = await world.database();
  const proxy = await FaultProxy.start(world.server.port);
  const url = world.server.url(database).replace(`:${world.server.port}/`, `:${proxy.port}/`);
  const server = new PostgresServer({ address: parseConnectionString(url), history: 'h' });
  const direct = world.client(world.address(database));
  return { database, proxy, server, direct };
}

it('a prompt takes one trip on an open connection, and two more than the connection itself on a new one', async () => {
  const { proxy, server, direct } = await behindProxy();
  const [laptop, desk] = [await sessionDbWorld(), await sessionDbWorld()];
  for (const { db } of [laptop, desk]) db.synced.begin();
  laptop.db.createSession({ id: 's1', startedAt: 1, title: 'Fruit' });
  answered(laptop.db, 't1', 'Apples.');
  const near = roundOf(laptop.db, direct, 'laptop');
  await near.run();
  const service = new SyncService({
    store: desk.db.synced,
    server: compressedServer(server),
    origin: 'desk',
    machine: 'Desk',
    newId: () => 'never',
    clock: new ManualClock(),
    log: silentLog,
    describe: (error) => ({ sentence: String(error), isTemporary: true }),
    running: () => new Set(),
    onReceived: () => Promise.resolve(),
  });
  await service.exchangeNow();
  const tripsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = proxy.trips;
    await work();
    return proxy.trips - before;
  };
  const prompt = async (turn: string): Promise<number> => {
    answered(laptop.db, turn, `Answer ${turn}.`);
    await near.run();
    const trips = await tripsOf(() => service.beforeTurn('s1'));
    expect(lines(desk.db)).toEqual(lines(laptop.db));
    await releaseLease(direct);
    return trips;
  };
  const open = await prompt('t2');
  proxy.cutAll();
  const reconnected = await prompt('t3');
  // The server was not reached meanwhile: this machine makes itself known again.
  proxy.fault = { kind: 'cut', direction: 'there', afterBytes: 0 };
  proxy.cutAll();
  await service.exchangeNow().catch(() => undefined);
  proxy.fault = null;
  const back = await prompt('t4');
  // To a server without TLS: TCP, the beginning, and two of SCRAM.
  const connecting = 4;
  expect({ open, reconnected, back }).toEqual({ open: 1, reconnected: connecting + 1, back: connecting + 2 });
  service.dispose();
  await server.dispose();
  await proxy.close();
  for (const { database } of [laptop, desk]) database.abandon();
});

async function releaseLease(server: PostgresServer): Promise<void> {
  for (let fence = 1; fence < 9; fence++) await server.release({ origin: 'desk' }, 's1', fence);
}

it('a turn is sent in two trips', async () => {
  const { proxy, server } = await behindProxy();
  const laptop = await sessionDbWorld();
  laptop.db.synced.begin();
  laptop.db.createSession({ id: 's1', startedAt: 1 });
  answered(laptop.db, 't1', 'Apples.');
  const round = roundOf(laptop.db, compressedServer(server), 'laptop');
  await round.run();
  answered(laptop.db, 't2', 'Pears.');
  const before = proxy.trips;
  await round.run();
  // One more is the look.
  expect(proxy.trips - before).toBe(3);
  await server.dispose();
  await proxy.close();
  laptop.database.abandon();
});

it('a look costs the same with a thousand machines', async () => {
  const { database, proxy, server } = await behindProxy();
  const connection = await server.connect('laptop', 'Laptop');
  const look = async (): Promise<number> => {
    const { there, back } = proxy.bytes;
    await server.news(connection, 0);
    return proxy.bytes.there + proxy.bytes.back - there - back;
  };
  const alone = await look();
  await world.run(
    database,
    `INSERT INTO hermes_sync.machines (history, origin, name)
     SELECT 'h', 'machine ' || n, 'A machine' FROM generate_series(1, 1000) n`,
  );
  expect([await look(), alone < 1500]).toEqual([alone, true]);
  await server.dispose();
  await proxy.close();
});
