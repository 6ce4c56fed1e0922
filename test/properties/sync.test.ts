import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServerRules } from '../support/simulatedServer';
import { syncActions, SyncMachines, type SyncStep } from './syncMachines';

const runs = Number(process.env['PROPERTY_RUNS'] ?? 60);

const step: fc.Arbitrary<SyncStep> = fc.record({
  machine: fc.nat(2),
  action: fc.constantFrom(...syncActions),
  which: fc.nat(7),
});

async function played(seed: number, steps: readonly SyncStep[], rules: ServerRules = {}) {
  const all = await SyncMachines.open(seed, rules);
  try {
    for (const each of steps) await all.take(each);
    await all.calm();
    const held = all.machines.map((machine) => all.documentsOf(machine));
    return { all, held, problems: all.machines.flatMap(({ world }) => world.db.verifyIntegrity()) };
  } finally {
    all.dispose();
  }
}

describe('three machines and a server', () => {
  it('end with the same rows on all machines, and with every answer that was shown, whatever happens', async () => {
    let divisions = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), async (seed, steps) => {
        const { all, held, problems } = await played(seed, steps);
        divisions += all.divisions;
        const [first, ...others] = held.map((documents) => [...documents].sort());
        for (const other of others) expect(other).toEqual(first);
        expect(problems).toEqual([]);
        expect(all.overruled).toEqual([]);
        const texts = (first ?? []).map(([, row]) => row).filter((row) => row.includes('Answer of'));
        for (const { text, conversationId } of all.shown) {
          if (all.forgotten.has(conversationId)) continue;
          const original = texts.filter((row) => row.includes(`${text}\\"`) && row.includes('"carried_from":null'));
          expect([text, original.length > 0]).toEqual([text, true]);
        }
      }),
      { numRuns: runs },
    );
    expect(divisions).toBeGreaterThan(10);
  }, 600_000);

  it('would not keep a leased conversation whole if the server let others send', async () => {
    const steps: SyncStep[] = [
      { machine: 1, action: 'cut', which: 0 },
      { machine: 1, action: 'ask', which: 0 },
      { machine: 1, action: 'settle', which: 0 },
      { machine: 0, action: 'ask', which: 0 },
      { machine: 1, action: 'connect', which: 0 },
      ...Array.from({ length: 4 }, (): SyncStep => ({ machine: 1, action: 'sync', which: 0 })),
      { machine: 0, action: 'settle', which: 0 },
      ...Array.from({ length: 4 }, (): SyncStep => ({ machine: 0, action: 'sync', which: 0 })),
    ];
    const overruled = async (rules: ServerRules): Promise<readonly string[]> =>
      (await played(5, steps, rules)).all.overruled;
    expect([await overruled({}), await overruled({ fences: false })]).toEqual([[], ['session-1']]);
  });
});
