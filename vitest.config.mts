import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Only src/host/ imports `vscode`; its parts that need no editor are tested against a small stand-in.
  resolve: { alias: { vscode: fileURLToPath(new URL('./test/unit/host/fakeVscode.ts', import.meta.url)) } },
  test: {
    include: ['test/{unit,conformance,properties,faults}/**/*.test.{ts,tsx}'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Vitest leaves one processor to itself, which is half of a small machine; many tests wait for timers and disks.
    maxWorkers: '100%',
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
