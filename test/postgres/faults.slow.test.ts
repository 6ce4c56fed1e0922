import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConnectionString } from '../../src/sync/postgres/connectionString';
import { PostgresServer } from '../../src/sync/postgres/postgresServer';
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
    let server = new PostgresServer({ address: parseConnectionString(through), history: 'h', patienceMs: 300 });
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
        server = new PostgresServer({ address: parseConnectionString(through), history: 'h', patienceMs: 300 });
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
