import fc from 'fast-check';
import type { Place } from '../support/simulation/place';
import type { SystemName } from '../support/simulatedSystem';
import { SimulatedPlace } from '../support/simulation/simulatedPlace';
import { Simulation, type Step } from '../support/simulation/simulation';
import { StoreThreads } from '../support/simulation/storeThreads';
import { WorkerPlace } from '../support/simulation/workerPlace';

const session = fc.nat({ max: 3 });
const surface = fc.nat({ max: 2 });
const yes = fc.constant(true);
/** `isRare` one time in `one`. */
const rarely = (one: number): fc.Arbitrary<boolean> =>
  fc.oneof({ weight: 1, arbitrary: yes }, { weight: one - 1, arbitrary: fc.constant(false) });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('prompt'),
      surface,
      repeated: fc.boolean(),
      busy: fc.constantFrom('queue', 'interrupt', 'steer'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('resubmit', 'retry'), surface }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('show'), surface, session: fc.option(session) }) },
  {
    weight: 16,
    arbitrary: fc.record({
      kind: fc.constant('say'),
      session,
      of: fc.constantFrom('text', 'text', 'thinking'),
      words: fc.integer({ min: 1, max: 4 }),
      long: rarely(3),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('call'),
      session,
      tools: fc.array(
        fc.record({ ms: fc.constantFrom(0, 5, 500), readOnly: fc.boolean(), asks: rarely(3), delegates: rarely(4) }),
        { minLength: 1, maxLength: 3 },
      ),
      ids: fc.constantFrom('own', 'same', 'counted'),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('finish'),
      session,
      why: fc.constantFrom('stop', 'stop', 'stop', 'stop', 'length', 'contentFilter', 'other'),
      isNearlyFull: rarely(3),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('break'),
      session,
      cause: fc.constantFrom('network', 'overloaded', 'timeout', 'auth', 'context'),
      inCall: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('stop', 'promote', 'unqueue', 'compress', 'compress'),
      session,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('decide'),
      session,
      how: fc.constantFrom('allow', 'allow', 'allow', 'deny', 'session'),
      again: rarely(4),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('summary'),
      how: fc.constantFrom('written', 'written', 'empty', 'overloaded', 'badRequest'),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant('time'), ms: fc.constantFrom(1, 10, 200, 4000, 90_000_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('clockSet'),
      bySeconds: fc.constantFrom(-40_000_000, -3600, -2, 3600, 40_000_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('memory'),
      ms: fc.constantFrom(0, 300, 40_000),
      fails: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('slowStore'), latencyMs: fc.constantFrom(0, 1, 50) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('failingStore'),
      times: fc.integer({ min: 1, max: 4 }),
      when: fc.constantFrom('before', 'after'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('powerCut', 'kill', 'close'),
      seed: fc.nat({ max: 1_000_000 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('handOver'),
      how: fc.constantFrom('asked', 'stopped', 'taken'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('formerWindow'),
      does: fc.constantFrom('prompt', 'say', 'finish', 'stop', 'decide'),
    }),
  },
);

/** Where schedules run: `make` gives each a store of its own. */
export interface SchedulePlace {
  readonly name: 'simulated' | 'worker';
  make(): Promise<Place>;
  remove(): Promise<void>;
}

export const simulated: SchedulePlace = simulatedOn('posix');

/** A disk with the rules of this system. */
export function simulatedOn(system: SystemName): SchedulePlace {
  return { name: 'simulated', make: () => SimulatedPlace.create(system), remove: () => Promise.resolve() };
}

/** Real files behind the store's worker. */
export async function onWorker(): Promise<SchedulePlace> {
  const threads = await StoreThreads.start();
  return { name: 'worker', make: async () => new WorkerPlace(threads), remove: () => threads.end() };
}

/** Runs one schedule to its end; returns what it broke. */
export async function violationsOf(
  steps: readonly Step[],
  where: SchedulePlace = simulated,
): Promise<readonly string[]> {
  const place = await where.make();
  try {
    const simulation = await Simulation.start(place);
    for (const one of steps) {
      await simulation.run(one);
      if (simulation.violations.length > 0) return simulation.violations;
    }
    await simulation.finish();
    return simulation.violations;
  } finally {
    await place.remove();
  }
}

export interface ScheduleFailure {
  readonly seed: number;
  /** fast-check's path to the smallest schedule that fails. */
  readonly path: string;
  readonly steps: readonly Step[];
  readonly violations: readonly string[];
}

/** Runs `runs` random schedules; returns the smallest one that fails, or null. The same seed makes the same schedules. */
export async function failingSchedule({
  runs,
  seed,
  where,
}: {
  readonly runs: number;
  readonly seed: number;
  readonly where: SchedulePlace;
}): Promise<ScheduleFailure | null> {
  const longest = where.name === 'worker' ? 30 : 60;
  const property = fc.asyncProperty(fc.array(step, { maxLength: longest, size: 'max' }), async (steps) => {
    const violations = await violationsOf(steps, where);
    if (violations.length > 0) throw new Error(violations.join('\n'));
  });
  const { failed, counterexample, counterexamplePath } = await fc.check(property, { numRuns: runs, seed });
  if (!failed) return null;
  const steps = counterexample?.[0] ?? [];
  return {
    seed,
    path: counterexamplePath ?? '',
    steps,
    violations: await violationsOf(steps, where).catch((error: unknown) => [`it threw: ${String(error)}`]),
  };
}
