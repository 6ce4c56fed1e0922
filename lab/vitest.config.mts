import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The limit for a test that hangs, in milliseconds. */
const hangLimitMs = 300_000 * Math.max(1, Number(process.env['HERMES_TEST_PATIENCE']) || 1);

/** Tests of what is in lab/: `npx vitest run --config lab/vitest.config.mts`. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['lab/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: hangLimitMs,
    hookTimeout: hangLimitMs,
    pool: 'forks',
  },
});
