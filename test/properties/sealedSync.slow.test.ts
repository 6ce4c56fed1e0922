import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Seal } from '../../src/sync/sealing/seal';
import { sealedServer } from '../../src/sync/sealing/sealedServer';
import { syncActions, SyncMachines, type SyncStep } from './syncMachines';

const runs = Number(process.env['PROPERTY_RUNS'] ?? 10);
const step: fc.Arbitrary<SyncStep> = fc.record({
  machine: fc.nat(2),
  action: fc.constantFrom(...syncActions),
  which: fc.nat(7),
});

describe('three machines and a server that holds only encrypted bodies', () => {
  it('end with the same rows, and the server with no word of a session', async () => {
    const seal = new Seal(new Uint8Array(32).fill(7), 'git:one');
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (seed, steps) => {
        const all = await SyncMachines.open(seed, {}, null, (server) => sealedServer(server, seal));
        try {
          for (const each of steps) await all.take(each);
          await all.calm();
          const [first, ...others] = all.machines.map((machine) => [...all.documentsOf(machine)].sort());
          for (const other of others) expect(other).toEqual(first);
          expect(JSON.stringify(first)).toContain('Answer of');
          const held = [...all.server.conversations.values()].flatMap(({ documents }) => [...documents.values()]);
          expect(held.length).toBeGreaterThan(0);
          expect(held.filter(({ body }) => body !== null && !/^hermes1:[\w-]+$/.test(body))).toEqual([]);
        } finally {
          all.dispose();
        }
      }),
      { numRuns: runs },
    );
  }, 600_000);
});
