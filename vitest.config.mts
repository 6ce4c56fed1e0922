import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/setup/longestFirst.mts';

const root = fileURLToPath(new URL('.', import.meta.url));

/** The limit for a test that hangs, in milliseconds. Nothing else ends a test: it fails because of what it sees, never because of the time. */
const hangLimitMs = 300_000 * Math.max(1, Number(process.env['HERMES_TEST_PATIENCE']) || 1);

/** Slow files that take half a minute or more: begun last, one would be waited for alone. */
const longest = [
  'test/properties/',
  'test/faults/',
  'test/unit/webview/page/',
  'test/unit/webview/markdown/',
  'test/unit/gateway/',
  'test/unit/store/ownership/',
  'test/unit/tools/terminal/',
];

/** Tests that need the shells of Windows. */
const otherSystems = process.platform === 'win32' ? [] : ['**/*.windows.*'];

/** What `*.test.ts` and `*.slow.test.ts` mean: docs/testing.md. */
export default defineConfig({
  resolve: {
    alias: {
      // Only src/host/ imports `vscode`; its parts that need no editor are tested against a small stand-in.
      vscode: path.join(root, 'test/unit/host/fakeVscode.ts'),
      'fast-check': path.join(root, 'test/support/seededFastCheck.ts'),
    },
  },
  test: {
    testTimeout: hangLimitMs,
    hookTimeout: hangLimitMs,
    expect: { poll: { timeout: hangLimitMs / 2, interval: 10 } },
    pool: 'forks',
    // Vitest leaves one processor to itself, which is half of a small machine; many tests wait for timers and disks.
    maxWorkers: '100%',
    // Of tests marked concurrent: each has a page of one browser, where half of its time is for it to come to rest.
    maxConcurrency: 3,
    setupFiles: ['test/support/setup/patience.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', '**/*.slow.test.{ts,tsx}', ...otherSystems],
          setupFiles: ['test/support/setup/fastFile.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.slow.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', ...otherSystems],
          sequence: { sequencer: longestFirst(longest) },
        },
      },
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
