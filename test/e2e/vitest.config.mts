import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Two VS Codes at a time, each with a browser, a server, extension hosts, a port and a folder of its own: much of a test is waiting. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/e2e/**/*.e2e.ts'],
    globalSetup: ['test/e2e/packageOnce.ts'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    pool: 'forks',
    maxWorkers: Math.min(2, os.availableParallelism()),
  },
});
