import { expect, test } from 'vitest';
import { runDayCuts } from '../../crash/dayCuts';

test.each(['posix', 'ntfs', 'apfs'] as const)(
  'a power cut during a day of a store on %s, and another one during recovery, lose, double or misfile nothing that was shown',
  async (system) => {
    const { operations, cuts, cutsInRecovery, ...wrong } = await runDayCuts({ cuts: 0.2, seed: 7, system });
    expect(wrong).toEqual({ lost: 0, doubled: 0, misfiled: 0, unsound: 0, unopenable: 0 });
    expect([operations > 300, cuts > 50, cutsInRecovery > 10]).toEqual([true, true, true]);
  },
);

test.each(['sync', 'order'] as const)('they would be noticed if the rule of %s were broken', async (broken) => {
  const { lost, unopenable } = await runDayCuts({ cuts: 0.1, seed: 8, broken });
  expect(lost + unopenable).toBeGreaterThan(5);
});
