import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../src/base/clock';
import { silentLog } from '../../../src/base/log';
import { compressedServer } from '../../../src/features/sync/core/compressedServer';
import { SyncService } from '../../../src/features/sync/core/syncService';
import type { SyncServer } from '../../../src/features/sync/core/syncServer';
import { ManualClock } from '../../../test/support/manualClock';
import { benchTurn } from '../store/benchTurn';
import { BenchMachine, type SyncBenchPlace } from './benchMachine';

/** Milliseconds from the end of the call that settles a turn until another machine has it, of each turn. */
export async function benchVisible(
  { world, root, programs }: SyncBenchPlace,
  turns: number,
): Promise<readonly number[]> {
  const database = await world.database();
  const machines = await Promise.all(
    ['near', 'far'].map((name) => {
      mkdirSync(join(root, name));
      return BenchMachine.open(name, join(root, name), programs);
    }),
  );
  let onReceived = (): void => undefined;
  const services = machines.map((machine) =>
    serviceOf(machine, world.client(world.address(database)), systemClock, () => onReceived()),
  );
  const [near] = machines;
  const [sending] = services;
  if (near === undefined || sending === undefined) throw new Error('There are two machines.');
  for (const machine of machines) await machine.synced.begin();
  for (const service of services) await service.exchangeNow();
  await near.store.createSession({ id: 'visible', startedAt: 1 });
  const times: number[] = [];
  for (let number = 0; number < turns; number++) {
    const { opening, settling } = benchTurn(number, 'visible');
    await near.store.openTurn(opening);
    await near.store.settleTurn(settling);
    const arrived = new Promise<void>((resolve) => (onReceived = resolve));
    const started = performance.now();
    sending.nudge();
    await arrived;
    times.push(performance.now() - started);
    // So that turns meet the other machine at different moments between two of its looks.
    await new Promise((resolve) => setTimeout(resolve, (number * 370) % 1000));
  }
  for (const service of services) await service.stop();
  for (const machine of machines) await machine.close();
  return times;
}

/** Milliseconds of the store's work for a turn. */
export interface TurnCost {
  readonly without: readonly number[];
  readonly withSync: readonly number[];
}

/** Stores turns in two stores, of which one notes changes for a server. They take turns of ten. */
export async function benchTurnCost({ root, programs }: SyncBenchPlace, rounds: number): Promise<TurnCost> {
  const opened = await Promise.all(
    ['without', 'withSync'].map((name) => {
      mkdirSync(join(root, name));
      return BenchMachine.open(name, join(root, name), programs);
    }),
  );
  const [without, withSync] = opened;
  if (without === undefined || withSync === undefined) throw new Error('There are two stores.');
  await withSync.synced.begin();
  const times = { without: [] as number[], withSync: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    // Each is the first one in half of the rounds.
    const order = round % 2 === 0 ? (['without', 'withSync'] as const) : (['withSync', 'without'] as const);
    for (const name of order)
      for (let turn = round * 10; turn < round * 10 + 10; turn++)
        times[name].push(await storeTurn(name === 'without' ? without : withSync, turn));
  }
  for (const machine of opened) await machine.close();
  return times;
}

async function storeTurn({ store }: BenchMachine, number: number): Promise<number> {
  const { sessionId, opening, settling } = benchTurn(number);
  if ((await store.getSession(sessionId)) === null)
    await store.createSession({ id: sessionId, startedAt: opening.startedAt });
  const started = performance.now();
  await store.openTurn(opening);
  await store.settleTurn(settling);
  return performance.now() - started;
}

const idleMinutes = 10;

/** Statements that the server gets in 30 seconds from a window in which nothing has happened for 10 minutes. */
export async function benchIdle({ world, root, programs }: SyncBenchPlace): Promise<number> {
  const database = await world.database();
  // Holds for the connections that begin from now on.
  await world.run(database, `ALTER DATABASE ${database} SET log_statement = 'all'`);
  mkdirSync(join(root, 'idle'));
  const machine = await BenchMachine.open('idle', join(root, 'idle'), programs);
  const client = world.client(world.address(database));
  await client.prepare();
  await machine.synced.begin();
  const clock = new ManualClock();
  const service = serviceOf(machine, client, clock, () => undefined);
  service.start();
  await pass(clock, idleMinutes);
  const statements = (): number => world.log.match(/LOG: {2}(execute|statement)/g)?.length ?? 0;
  const before = statements();
  if (before === 0) throw new Error('The server logs no statements.');
  await pass(clock, idleMinutes);
  const found = statements() - before;
  await service.stop();
  await machine.close();
  return Math.round((found / (idleMinutes * 2)) * 100) / 100;
}

/** Two timers wait while nothing is exchanged: for the next look and for the renewal of leases. */
async function pass(clock: ManualClock, minutes: number): Promise<void> {
  for (let second = 0; second < minutes * 60; second++) {
    await clock.untilWaiting(2);
    await clock.advance(1000);
  }
  await clock.untilWaiting(2);
}

function serviceOf(machine: BenchMachine, server: SyncServer, clock: Clock, onReceived: () => void): SyncService {
  return new SyncService({
    store: machine.synced,
    server: compressedServer(server),
    origin: machine.name,
    machine: machine.name,
    newId: () => 'never',
    clock,
    log: silentLog,
    describe: (error) => ({ sentence: String(error), isTemporary: true }),
    running: () => new Set(),
    onReceived: () => Promise.resolve(onReceived()),
  });
}
