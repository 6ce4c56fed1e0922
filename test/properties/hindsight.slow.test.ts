import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HindsightSimulation, type HindsightStep } from '../support/hindsight/hindsightSimulation';
import { HindsightStandIn } from '../support/hindsight/standIn';

const surface = fc.nat({ max: 1 });
const fault = fc.constantFrom(
  ...(['dropBefore', 'dropAfter', 'stall', 'stallAfter', 500, 503, 429, 401, 422] as const),
);
const operation = fc.record({
  seconds: fc.constantFrom(0, 1, 5, 30),
  fate: fc.constantFrom('completes', 'completes', 'completes', 'fails', 'spoilt'),
});
const step: fc.Arbitrary<HindsightStep> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('turn'),
      surface,
      ends: fc.constantFrom('complete', 'complete', 'complete', 'interrupted'),
      compressed: fc.constantFrom(false, false, false, false, true),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('switch'),
      surface,
      reason: fc.constantFrom('new_session', 'reset', 'branch', 'compression'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('resume'), surface, session: fc.nat({ max: 7 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rewind'),
      surface,
      turns: fc.integer({ min: 1, max: 3 }),
      notified: fc.constantFrom(true, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry'), surface }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('restart'),
      how: fc.constantFrom('close', 'kill'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('dieLater'), calls: fc.nat({ max: 25 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('faults'),
      faults: fc.array(fault, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('lostAnswers'), writes: fc.integer({ min: 1, max: 2 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('offline'), requests: fc.integer({ min: 1, max: 10 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('time'), seconds: fc.constantFrom(0.5, 2, 5) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('processing'),
      operations: fc.array(operation, { minLength: 1, maxLength: 3 }),
    }),
  },
);

/** `HINDSIGHT_RUNS=1000 npx vitest run test/properties/hindsight`: so many schedules for each kind of server. */
const runs = Number(process.env['HINDSIGHT_RUNS'] ?? '60');

let server: HindsightStandIn;
beforeAll(async () => {
  server = await HindsightStandIn.start();
});
afterAll(() => server.close());

describe.each(['appends', 'overwrites'] as const)('Hindsight, on a server that %s', (kind) => {
  it('every completed turn that is still part of its session is stored once, under that session', async () => {
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
      { numRuns: runs },
    );
    console.log(`${kind}: ${extent.schedules} schedules, ${extent.turns} turns retained, ${extent.lives} lives`);
  });
});
