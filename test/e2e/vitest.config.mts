import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** One VS Code at a time: each needs a browser, a server and an extension host. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/e2e/**/*.e2e.ts'],
    globalSetup: ['test/e2e/packageOnce.ts'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    pool: 'forks',
    fileParallelism: false,
    maxWorkers: 1,
  },
});
