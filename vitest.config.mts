import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,conformance,properties}/**/*.test.{ts,tsx}'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
