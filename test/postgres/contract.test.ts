import { afterAll, beforeAll } from 'vitest';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { syncContract } from '../support/syncContract';

let world: PostgresWorld;
beforeAll(async () => {
  world = await PostgresWorld.start();
});
afterAll(() => world.close());

syncContract(async () => {
  const client = world.client(world.address(await world.database()));
  return () => client;
});
