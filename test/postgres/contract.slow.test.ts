import { afterAll, beforeAll } from 'vitest';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { syncContract } from '../support/syncContract';
import { turnsContract } from '../support/turnsContract';

let world: PostgresWorld;
beforeAll(async () => {
  world = await PostgresWorld.start();
});
afterAll(() => world.close());

syncContract(async () => {
  const client = world.client(world.address(await world.database()));
  return () => client;
});

turnsContract(async () => {
  const database = await world.database();
  const server = world.client(world.address(database));
  return {
    server,
    turns: (origin) => server.turns(origin),
    expireLeases: () =>
      world.run(database, `UPDATE hermes_sync.conversations SET expires = now() - interval '1 second'`),
  };
});
