import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HindsightSimulation, type HindsightStep } from '../support/hindsight/hindsightSimulation';
import { HindsightStandIn } from '../support/hindsight/standIn';

const surface = fc.nat({ max: 1 });
const fault = fc.constantFrom(
  'dropBefore' as const,
  'dropAfter' as const,
  'stall' as const,
  'stallAfter' as const,
  500,
  503,
  429,
  401,
  422,
);
const operation = fc.record({
  seconds: fc.constantFrom(0, 1, 5, 30),
  fate: fc.constantFrom(
    'completes' as const,
    'completes' as const,
    'completes' as const,
    'fails' as const,
    'spoilt' as const,
  ),
});
const step: fc.Arbitrary<HindsightStep> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      surface,
      ends: fc.constantFrom('complete' as const, 'complete' as const, 'complete' as const, 'interrupted' as const),
      compressed: fc.constantFrom(false, false, false, false, true),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('switch' as const),
      surface,
      reason: fc.constantFrom('new_session' as const, 'reset' as const, 'branch' as const, 'compression' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('resume' as const), surface, session: fc.nat({ max: 7 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rewind' as const),
      surface,
      turns: fc.integer({ min: 1, max: 3 }),
      notified: fc.constantFrom(true, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const), surface }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('restart' as const),
      how: fc.constantFrom('close' as const, 'kill' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('dieLater' as const), calls: fc.nat({ max: 25 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('faults' as const),
      faults: fc.array(fault, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('lostAnswers' as const), writes: fc.integer({ min: 1, max: 2 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('offline' as const), requests: fc.integer({ min: 1, max: 10 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.constantFrom(0.5, 2, 5) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('processing' as const),
      operations: fc.array(operation, { minLength: 1, maxLength: 3 }),
    }),
  },
);

/** `HINDSIGHT_RUNS=1000 [HINDSIGHT_SEED=S] npx vitest run test/properties/hindsight.test.ts`: so many schedules for each kind of server. */
const runs = Number(process.env['HINDSIGHT_RUNS'] ?? '60');
const seed = process.env['HINDSIGHT_SEED'];

let server: HindsightStandIn;
beforeAll(async () => {
  server = await HindsightStandIn.start();
});
afterAll(() => server.close());

describe.each(['appends', 'overwrites'] as const)('Hindsight, on a server that %s', (kind) => {
  it(
    'every completed turn that is still part of its session is stored once, under that session',
    async () => {
      const extent = { schedules: 0, turns: 0, lives: 0 };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
          const simulation = await new HindsightSimulation(server, kind).start();
          for (const one of steps) await simulation.run(one);
          expect(await simulation.finish()).toEqual([]);
          extent.schedules++;
          extent.turns += simulation.retained;
          extent.lives += simulation.lives;
        }),
        { numRuns: runs, timeout: 60_000, ...(seed === undefined ? {} : { seed: Number(seed) }) },
      );
      console.log(`${kind}: ${extent.schedules} schedules, ${extent.turns} turns retained, ${extent.lives} lives`);
    },
    1000 * 60 * 60,
  );
});
