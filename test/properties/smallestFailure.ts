import fc from 'fast-check';

/** A way of trying something at random: what is tried, and what that broke. */
export interface RandomTrial<T> {
  readonly what: fc.Arbitrary<T>;
  readonly violationsOf: (one: T) => Promise<readonly string[]>;
}

export interface SmallestFailure {
  readonly seed: number;
  readonly steps: unknown;
  readonly violations: readonly string[];
}

/** Runs `runs` trials; returns the smallest one that fails, or null. The same seed makes the same trials. */
export async function smallestFailure<T>(
  { what, violationsOf }: RandomTrial<T>,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Promise<SmallestFailure | null> {
  const property = fc.asyncProperty(what, async (one) => {
    const violations = await violationsOf(one);
    if (violations.length > 0) throw new Error(violations.join('\n'));
  });
  const { failed, counterexample } = await fc.check(property, { numRuns: runs, seed });
  const steps = counterexample?.[0];
  return failed && steps !== undefined ? { seed, steps, violations: await violationsOf(steps) } : null;
}
