import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log';
import { SurfaceAgent } from '../../src/gateway/agents/surfaceAgent';
import type { MemoryProvider, SwitchReason } from '../../src/memory/memoryProvider';
import { ManualClock } from '../support/manualClock';
import { memoryOf } from '../support/memoryOf';
import { hangingMemory, legacyMemory, RecordingMemory, throwingMemory } from '../support/recordingMemory';

type Step =
  | {
      readonly kind: 'switch';
      readonly reason: SwitchReason;
      readonly to: number | '' | null | undefined;
      readonly parent: number | null;
    }
  | { readonly kind: 'sync'; readonly outcome: 'complete' | 'interrupted' | 'failed'; readonly answer: string }
  | { readonly kind: 'end' }
  /** The provider gets time to work through some of what is queued. */
  | { readonly kind: 'breathe'; readonly turns: number };

const reasons: readonly SwitchReason[] = ['new_session', 'reset', 'resume', 'branch', 'rewind', 'compression'];
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('switch'),
      reason: fc.constantFrom(...reasons),
      to: fc.oneof(
        { weight: 6, arbitrary: fc.nat({ max: 4 }) },
        { weight: 1, arbitrary: fc.constantFrom('', null, undefined) },
      ),
      parent: fc.option(fc.nat({ max: 4 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('sync'),
      outcome: fc.constantFrom('complete', 'complete', 'interrupted', 'failed'),
      answer: fc.constantFrom('a', 'a', ' '),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'end' }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('breathe'), turns: fc.nat({ max: 12 }) }) },
);

/** What a provider must hear, from the steps alone: every switch with id, reason, reset, rewound, the session that was left, and parent, the end of a session once and ahead
 *  of what follows, and turns under the session they belong to. */
class Expected {
  readonly lines: string[] = [];
  private session: string | null = null;
  private ended = false;

  take(step: Step, prompt: string): void {
    if (step.kind === 'switch') this.switch(step);
    if (step.kind === 'end') this.end();
    if (step.kind === 'sync' && this.session !== null && step.outcome === 'complete' && step.answer.trim() !== '')
      this.lines.push(`sync ${this.session}: ${prompt} -> ${step.answer}`);
  }

  private switch({ reason, to, parent }: Step & { readonly kind: 'switch' }): void {
    if (typeof to !== 'number') return;
    const id = `S${to}`;
    const parentTail = parent === null ? '' : ` parent S${parent}`;
    const tail = ` from ${this.session}${parentTail}`;
    const isNew = reason === 'new_session' || reason === 'reset';
    if (this.session === null) this.lines.push(`initialize ${id}${parentTail}`);
    else if (this.session !== id) {
      if (isNew) this.end();
      this.lines.push(`switch ${id} ${reason}${isNew ? ' reset' : ''}${tail}`);
    }
    if (this.session !== id) this.ended = false;
    // A surface is told of a rewind of the session it has come to.
    if (reason === 'rewind') this.lines.push(`switch ${id} rewind rewound from ${id}${parentTail}`);
    this.session = id;
  }

  private end(): void {
    if (this.session === null || this.ended) return;
    this.ended = true;
    this.lines.push(`end ${this.session}`);
  }
}

async function heard(
  steps: readonly Step[],
  others: (log: string[]) => readonly MemoryProvider[],
  slowness: number,
): Promise<{ readonly log: readonly string[]; readonly expected: readonly string[] }> {
  const log: string[] = [];
  const pause = async (): Promise<void> => {
    for (let turn = 0; turn < slowness; turn++) await Promise.resolve();
  };
  const [before, behind] = [others([]).slice(0, 1), others([]).slice(1)];
  const memory = memoryOf([...before, new RecordingMemory(log, { pause, previous: true }), ...behind], {
    clock: new ManualClock(),
    log: silentLog,
  });
  const agent = new SurfaceAgent(memory);
  const expected = new Expected();
  for (const [index, each] of steps.entries()) {
    const prompt = `prompt ${index}`;
    expected.take(each, prompt);
    if (each.kind === 'switch')
      agent.serve(typeof each.to === 'number' ? `S${each.to}` : each.to, {
        reason: each.reason,
        parentSessionId: each.parent === null ? null : `S${each.parent}`,
      });
    else if (each.kind === 'end') agent.endSession();
    else if (each.kind === 'sync')
      memory.syncTurn({
        turnUid: prompt,
        prompt,
        answer: each.answer,
        outcome: each.outcome,
        startedAt: 1,
        settledAt: 2,
      });
    else for (let turn = 0; turn < each.turns; turn++) await Promise.resolve();
  }
  await new Promise((resolve) => setImmediate(resolve));
  for (let length = -1; length !== log.length;) {
    length = log.length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { log, expected: expected.lines };
}

describe('whatever the user does', () => {
  it.each<readonly [string, (log: string[]) => readonly MemoryProvider[]]>([
    ['alone', () => []],
    [
      'beside one that throws, one that hangs and one of before most hooks',
      (log) => [throwingMemory(), hangingMemory(), legacyMemory(log)],
    ],
  ])('a provider is notified of every switch, in order, and of nothing else: %s', async (_name, others) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat({ max: 20 }), async (steps, slowness) => {
        const { log, expected } = await heard(steps, others, slowness);
        expect(log).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });
});
