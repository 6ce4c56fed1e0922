import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Simulation, type Step } from '../support/simulation/simulation';

const session = fc.nat({ max: 3 });
const surface = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('prompt' as const), surface, repeated: fc.boolean(), busy: fc.constantFrom('queue' as const, 'interrupt' as const, 'steer' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('show' as const), surface, session: fc.option(session) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('say' as const), session, of: fc.constantFrom('text' as const, 'text' as const, 'thinking' as const), words: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('call' as const), session, tools: fc.array(fc.record({ ms: fc.constantFrom(0, 5, 500), readOnly: fc.boolean() }), { minLength: 1, maxLength: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('finish' as const), session, why: fc.constantFrom('stop' as const, 'stop' as const, 'stop' as const, 'length' as const, 'contentFilter' as const, 'other' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('break' as const), session, cause: fc.constantFrom('network' as const, 'overloaded' as const, 'timeout' as const, 'auth' as const), inCall: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('stop' as const, 'promote' as const, 'unqueue' as const), session }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const), surface }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(1, 10, 200, 4000, 90_000_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('slowStore' as const), latencyMs: fc.constantFrom(0, 1, 50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('failingStore' as const), times: fc.integer({ min: 1, max: 4 }), when: fc.constantFrom('before' as const, 'after' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('powerCut' as const, 'kill' as const, 'close' as const), seed: fc.nat({ max: 1_000_000 }) }) },
);

/** `npm run properties -- --runs N [--seed S]` sets these. */
const runs = Number(process.env['PROPERTY_RUNS'] ?? '300');
const seed = process.env['PROPERTY_SEED'];

describe('turns, whatever happens', () => {
  it('really happen: a schedule of every kind of step comes to requests, tools, crashes and answers', async () => {
    const simulation = await Simulation.start();
    const steps: readonly Step[] = [
      { kind: 'prompt', surface: 0, repeated: false },
      { kind: 'say', session: 0, of: 'thinking', words: 2 },
      { kind: 'say', session: 0, of: 'text', words: 2 },
      { kind: 'call', session: 0, tools: [{ ms: 5, readOnly: true }, { ms: 5, readOnly: false }] },
      { kind: 'time', ms: 10 },
      { kind: 'time', ms: 10 },
      { kind: 'say', session: 0, of: 'text', words: 3 },
      { kind: 'show', surface: 1, session: 0 },
      { kind: 'prompt', surface: 1, repeated: true },
      { kind: 'powerCut', seed: 5 },
      { kind: 'promote', session: 0 },
      { kind: 'break', session: 0, cause: 'network', inCall: false },
      { kind: 'retry', surface: 0 },
      { kind: 'say', session: 0, of: 'text', words: 1 },
      { kind: 'stop', session: 0 },
    ];
    for (const one of steps) await simulation.run(one);
    const transcript = simulation.transcript(0);
    await simulation.finish();
    expect({ ...simulation.extent, transcript, violations: simulation.violations }).toEqual({
      requests: 4, lives: 2, violations: [],
      transcript: [
        'user: prompt 1',
        'assistant: w1 w2 w3 w4 [call-1] [call-2]',
        'tool: result of call-1',
        'tool: result of call-2',
        'assistant: w5 w6 w7 ',
        'user (hidden): again',
        'assistant (hidden): (The request failed before an answer.)',
        'user: again',
        'assistant: w8 ',
      ],
    });
  });

  it('keep what was shown, once and in order, ask only what a provider accepts, and lose no prompt', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const simulation = await Simulation.start();
        for (const one of steps) {
          await simulation.run(one);
          expect(simulation.violations).toEqual([]);
        }
        await simulation.finish();
        expect(simulation.violations).toEqual([]);
      }),
      { numRuns: runs, timeout: 60_000, ...(seed === undefined ? {} : { seed: Number(seed) }) },
    );
  }, 1000 * 60 * 60 * 12);
});
