import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConnectionString } from '../../src/features/sync/core/postgres/connectionString';
import { PostgresServer } from '../../src/features/sync/core/postgres/postgresServer';
import { seededRandom } from '../support/seededRandom';
import { FaultProxy, type Fault } from '../support/postgres/faultProxy';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { answered, lines, sessionDbWorld } from '../support/sessionDbWorld';
import { roundOf } from '../support/syncRound';

/** `HERMES_CUT_TRIALS`: how many. */
const trials = Math.max(20, Number(process.env['HERMES_CUT_TRIALS']) || 150);

let world: PostgresWorld;
beforeAll(async () => {
  world = await PostgresWorld.start({ durable: true });
});
afterAll(() => world.close());

describe('a client that vanishes in the middle of a sending', () => {
  it('blocks neither its own machine nor another one, and leaves nothing behind on the server', async () => {
    const database = await world.database();
    const proxy = await FaultProxy.start(world.server.port);
    const through = world.server.url(database).replace(`:${world.server.port}/`, `:${proxy.port}/`);
    const patient = (url: string): PostgresServer =>
      new PostgresServer({ address: parseConnectionString(url), history: 'h', timeoutMs: 1500 });
    const [laptop, desk] = [await sessionDbWorld(), await sessionDbWorld()];
    laptop.db.createSession({ id: 's1', startedAt: 1, title: 'Fruit' });
    for (const { db } of [laptop, desk]) db.synced.begin();
    answered(laptop.db, 't1', 'Answer 1.');
    const direct = patient(world.server.url(database));
    await roundOf(laptop.db, direct, 'laptop').run();
    await roundOf(desk.db, direct, 'desk').run();
    const ghosts: PostgresServer[] = [];
    const vanishing = async (): Promise<void> => {
      proxy.vanishAt = 'INSERT INTO hermes_sync.bodies';
      ghosts.push(patient(through));
      await roundOf(laptop.db, ghosts.at(-1) ?? direct, 'laptop')
        .run()
        .catch(() => undefined);
      proxy.vanishAt = null;
    };
    answered(laptop.db, 't2', 'Answer 2.');
    await vanishing();
    await vanishing();
    // Both machines have something to send in the session that the ghost holds.
    desk.db.setTitle('s1', 'Vegetables', 'person');
    const tried = async ({ db }: typeof desk, name: string): Promise<void> => {
      for (;;) {
        const failed = await roundOf(db, direct, name)
          .run()
          .then(
            (refused) => refused.length > 0,
            () => true,
          );
        if (!failed) return;
      }
    };
    await Promise.all([tried(laptop, 'laptop'), tried(desk, 'desk')]);
    await tried(laptop, 'laptop');
    await tried(desk, 'desk');
    expect(lines(desk.db)).toEqual(lines(laptop.db));
    const left = await world.run(
      database,
      `SELECT state, wait_event_type FROM pg_stat_activity WHERE application_name = 'Hermes'
       AND (state LIKE 'idle in transaction%' OR wait_event_type = 'Lock')`,
    );
    expect(left).toEqual([]);
    await Promise.all([...ghosts, direct].map((server) => server.dispose()));
    await proxy.close();
    for (const { database: file } of [laptop, desk]) file.abandon();
  });
});

describe('a connection that is cut, stalls or is cut within a message', () => {
  it(`loses and doubles nothing in ${trials} trials`, async () => {
    const database = await world.database();
    const proxy = await FaultProxy.start(world.server.port);
    const through = world.server.url(database).replace(`:${world.server.port}/`, `:${proxy.port}/`);
    const store = await sessionDbWorld();
    store.db.createSession({ id: 's1', startedAt: 1, title: 'Fruit' });
    store.db.synced.begin();
    const random = seededRandom(7);
    let failed = 0;
    let server = new PostgresServer({ address: parseConnectionString(through), history: 'h', timeoutMs: 300 });
    await world.client(world.address(database)).prepare();
    let round = roundOf(store.db, server, 'a');
    for (let trial = 0; trial < trials; trial++) {
      answered(store.db, `t${trial}`, `Answer ${trial}.`);
      const fault: Fault = {
        kind: random() < 0.85 ? 'cut' : 'stall',
        direction: random() < 0.5 ? 'there' : 'back',
        afterBytes: Math.floor(random() * 5000),
      };
      proxy.fault = random() < 0.8 ? fault : null;
      proxy.cutAll();
      try {
        await round.run();
      } catch {
        failed++;
        await server.dispose();
        server = new PostgresServer({ address: parseConnectionString(through), history: 'h', timeoutMs: 300 });
        round = roundOf(store.db, server, 'a');
      }
    }
    await server.dispose();
    server = world.client(world.address(database));
    await roundOf(store.db, server, 'a').run();
    const other = await sessionDbWorld();
    other.db.synced.begin();
    const direct = world.client(world.address(database));
    await roundOf(other.db, direct, 'b').run();
    await proxy.close();
    expect(lines(other.db)).toEqual(lines(store.db));
    expect([lines(other.db).length, other.db.verifyIntegrity(), failed > trials / 4]).toEqual([2 * trials, [], true]);
    other.database.abandon();
    store.database.abandon();
  });
});
