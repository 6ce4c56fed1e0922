import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longestFirst } from '../support/setup/longestFirst.mts';

/** The limit for a test that hangs, in milliseconds: some kill a dozen extension hosts. */
const hangLimitMs = 900_000 * Math.max(1, Number(process.env['HERMES_TEST_PATIENCE']) || 1);

/** The files that take a minute or more. */
const longest = [
  'sync',
  'syncDay',
  'storeStates',
  'sessionsView',
  'busyAndCompression',
  'sessionMenus',
  'historyCare',
  'searchAndTabs',
  'reviewFlow',
  'sessionSettings',
  'workKills',
  'mainJob',
  'storeMoved',
  'kills',
  'importSessions',
  'workModes',
  'enterKills',
  'addServer',
  'sandbox',
  'keyboard',
];

/** Each VS Code has a browser, a server, extension hosts, a port and a folder of its own, and takes a processor and 3 GB of memory at the most. */
const atOnce = Math.max(1, Math.min(4, os.availableParallelism(), Math.floor(os.totalmem() / 3e9)));

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/e2e/**/*.e2e.ts'],
    // It waits for the editor's Git some hundred times.
    exclude: process.env['HERMES_PLANTED_TRIES'] === undefined ? ['**/plantedGit.e2e.ts', '**/node_modules/**'] : [],
    globalSetup: ['test/e2e/packageOnce.ts'],
    testTimeout: hangLimitMs,
    hookTimeout: hangLimitMs,
    // What is missing is named in full: `[ …(2) ]` in the log of a run elsewhere says nothing.
    chaiConfig: { truncateThreshold: 0 },
    pool: 'forks',
    sequence: { sequencer: longestFirst(longest.map((name) => `/${name}.e2e.ts`)) },
    maxWorkers: atOnce,
  },
});
