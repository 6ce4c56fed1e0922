/** The fast tests of some folders, for Stryker: it runs every project of the configuration that it is given. */
import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.mts';

const [fast] = base.test?.projects ?? [];
if (typeof fast !== 'object' || !('test' in fast) || fast.test?.name !== 'fast')
  throw new Error('The fast project is the first.');

/** Set by scripts/mutations.mjs. */
const include = (process.env['HERMES_MUTATION_TESTS'] ?? 'test/**/*.test.{ts,tsx}').split(',');

export default defineConfig({
  ...base,
  test: { ...base.test, projects: [{ ...fast, test: { ...fast.test, include } }] },
});
