import { SyncMachines, syncActions } from '../../properties/syncMachines';
import { seededRandom } from '../seededRandom';
import type { PostgresWorld } from './postgresWorld';

/** `differing`: machines whose rows are not those of the first one. `broken`: faults of their stores. */
export interface MachinesOutcome {
  readonly differing: readonly string[];
  readonly broken: readonly string[];
}

/** Expected of every run. */
export const sameOnAll: MachinesOutcome = { differing: [], broken: [] };

/** Lets three machines work on a database and compares them. `connect`: how they reach it. Default: directly. */
export async function threeMachines(
  world: PostgresWorld,
  database: string,
  { seed, steps, connect = world.address(database) }: RunOptions,
): Promise<MachinesOutcome> {
  const random = seededRandom(seed);
  const server = world.client(connect, 'three machines');
  const expireLeases = () =>
    world.run(database, "UPDATE hermes_sync.conversations SET expires = now() - interval '1 s'");
  const all = await SyncMachines.open(seed, {}, { server, expireLeases });
  for (let step = 0; step < steps; step++)
    await all.take({
      machine: Math.floor(random() * 3),
      action: syncActions[Math.floor(random() * syncActions.length)] ?? 'sync',
      which: Math.floor(random() * 8),
    });
  await all.calm();
  const rowsOf = (machine: (typeof all.machines)[number]): string =>
    JSON.stringify([...all.documentsOf(machine)].sort());
  const [first, ...others] = all.machines;
  const outcome = {
    differing: others.filter((other) => first === undefined || rowsOf(other) !== rowsOf(first)).map(({ name }) => name),
    broken: all.machines.flatMap((machine) => machine.world.db.verifyIntegrity()),
  };
  all.dispose();
  await server.dispose();
  return outcome;
}

interface RunOptions {
  readonly seed: number;
  readonly steps: number;
  readonly connect?: ReturnType<PostgresWorld['address']>;
}
