/** The fast tests of some folders, for Stryker: it runs every project of the configuration that it is given. */
import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.mts';
import { longestFirst } from '../support/setup/longestFirst.mts';

const [fast] = base.test?.projects ?? [];
if (typeof fast !== 'object' || !('test' in fast) || fast.test?.name !== 'fast')
  throw new Error('The fast project is the first.');

/** Set by scripts/mutations.mjs, the tests that decide about the changed code first: after one has failed none runs. */
const include = (process.env['HERMES_MUTATION_TESTS'] ?? 'test/**/*.test.{ts,tsx}').split(',');

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    sequence: { sequencer: longestFirst(include.map((pattern) => pattern.replace(/\*.*$/, ''))) },
    projects: [{ ...fast, test: { ...fast.test, include } }],
  },
});
