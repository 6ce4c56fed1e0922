import { expect, test } from 'vitest';
import { growsAtMost } from '../../support/growth';

/** Work of about `steps` operations. */
function spend(steps: number): void {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum = (sum + (step & 1023)) % 1_000_003;
  if (sum < 0) throw new Error('impossible');
}

test('work that grows with the square of its input is told from work in proportion to it', { timeout: 120_000 }, () => {
  expect(growsAtMost(8, (share) => spend(300_000_000 * share))).toBe(true);
  expect(growsAtMost(8, (share) => spend(300_000_000 * share ** 2))).toBeGreaterThan(8);
});
