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
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
