import { expect, test } from 'vitest';
import { growsAtMost } from '../../support/growth';

/** Work of about `steps` operations. */
function spend(steps: number): void {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum = (sum + step * 7) % 1_000_003;
  if (sum < 0) throw new Error('impossible');
}

test('work that grows with the square of its input is told from work in proportion to it', () => {
  expect(growsAtMost(8, (share) => spend(300_000_000 * share))).toBe(true);
  // So much that also a quarter takes far longer than what counts as noise.
  expect(growsAtMost(8, (share) => spend(900_000_000 * share ** 2))).toBeGreaterThan(8);
});
