import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The exchange with a real PostgreSQL, which is started for each file. */
export default defineConfig({
  resolve: {
    alias: { 'fast-check': fileURLToPath(new URL('../support/seededFastCheck.ts', import.meta.url)) },
  },
  test: {
    include: ['test/postgres/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
  },
});
