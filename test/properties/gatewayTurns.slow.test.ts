import { describe, expect, it } from 'vitest';
import { Simulation, type Step } from '../support/simulation/simulation';
import { failingSchedule, onWorker, simulated, simulatedOn, violationsOf } from './schedules';

/** Seeds of so many batches. Others are run by `npm run properties`, each night too (.github/workflows/nightly.yml). */
const batches = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => 20_261_120 + n);

/** The smallest schedules that random ones were shrunk to when they broke something. */
const onceBroken: readonly { readonly name: string; readonly steps: readonly Step[] }[] = [
  {
    name: 'a prompt that waits in the queue is sent again at the moment the turn before it ends',
    steps: [
      { kind: 'prompt', surface: 2, repeated: false, busy: 'queue' },
      { kind: 'slowStore', latencyMs: 1 },
      { kind: 'call', session: 0, tools: [{ ms: 0, readOnly: false }] },
      { kind: 'prompt', surface: 2, repeated: false, busy: 'interrupt' },
      { kind: 'resubmit', surface: 2 },
    ],
  },
  {
    name: 'a window takes over a log that its dead owner had only just made, and the power fails',
    steps: [
      { kind: 'handOver', how: 'asked' },
      { kind: 'close', seed: 0 },
      { kind: 'prompt', surface: 0, repeated: false, busy: 'queue' },
      { kind: 'powerCut', seed: 307_080 },
    ],
  },
  {
    name: 'an Allow is stored although the store says twice that it failed',
    steps: [
      { kind: 'prompt', surface: 0, repeated: false, busy: 'queue' },
      {
        kind: 'call',
        session: 0,
        tools: [
          { ms: 0, readOnly: false, asks: true },
          { ms: 0, readOnly: false, asks: false },
        ],
      },
      { kind: 'failingStore', times: 2, when: 'after' },
      { kind: 'decide', session: 0, how: 'allow', again: false },
      { kind: 'time', ms: 200 },
    ],
  },
];

describe('turns, in any schedule', () => {
  it('really happen: a schedule with every kind of step produces requests, tools, crashes and answers', async () => {
    const simulation = await Simulation.start(await simulated.make());
    const steps: readonly Step[] = [
      { kind: 'prompt', surface: 0, repeated: false },
      { kind: 'say', session: 0, of: 'thinking', words: 2 },
      { kind: 'say', session: 0, of: 'text', words: 2 },
      {
        kind: 'call',
        session: 0,
        tools: [
          { ms: 5, readOnly: true },
          { ms: 5, readOnly: false },
        ],
      },
      { kind: 'time', ms: 10 },
      { kind: 'time', ms: 10 },
      { kind: 'say', session: 0, of: 'text', words: 3 },
      { kind: 'time', ms: 100 },
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
    const [transcript, extent] = [simulation.transcript(0), simulation.extent];
    await simulation.finish();
    expect({ ...extent, transcript, violations: simulation.violations }).toEqual({
      requests: 4,
      lives: 2,
      segments: 1,
      violations: [],
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

  it.each(onceBroken)('keep their guarantees in schedules that once broke them: $name', async ({ steps }) => {
    expect(await violationsOf(steps)).toEqual([]);
  });

  it.each([
    ...batches(10).map((seed) => ['posix', seed] as const),
    ...batches(3).map((seed) => ['ntfs', seed] as const),
  ])(
    'keep what was shown, once and in order, send only what a provider accepts, and lose no prompt, on a disk with the rules of %s, in 40 schedules of %i',
    async (system, seed) => {
      expect(await failingSchedule({ runs: 40, seed, where: simulatedOn(system) })).toBeNull();
    },
  );

  it.each(batches(5))(
    'keep the same guarantees through the worker on a real file, in 20 schedules of %i',
    async (seed) => {
      const where = await onWorker();
      try {
        expect(await failingSchedule({ runs: 20, seed, where })).toBeNull();
      } finally {
        await where.remove();
      }
    },
  );
});
