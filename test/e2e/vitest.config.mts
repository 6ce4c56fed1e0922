import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** How many times longer than usual everything may take; see test/support/vscode/processes.ts. */
const patience = Math.max(1, Number(process.env['HERMES_TEST_PATIENCE']) || 1);

/** The files that take a minute or more. By itself vitest goes by earlier runs, and on a fresh clone, where there is none, by the size of the
 *  files: a long one may then come last and be waited for alone. */
const longest = [
  'sync',
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
  'panel',
  'workModes',
  'enterKills',
  'addServer',
  'sandbox',
  'keyboardTurn',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const place = longest.indexOf(path.basename(moduleId, '.e2e.ts'));
  return place < 0 ? longest.length : place;
};

/** The order of the files: what takes longest begins first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** Each VS Code has a browser, a server, extension hosts, a port and a folder of its own, and takes a processor and 3 GB of memory at the most. */
const atOnce = Math.max(1, Math.min(4, os.availableParallelism(), Math.floor(os.totalmem() / 3e9)));

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/e2e/**/*.e2e.ts'],
    globalSetup: ['test/e2e/packageOnce.ts'],
    testTimeout: 180_000 * patience,
    hookTimeout: 120_000 * patience,
    teardownTimeout: 30_000,
    // What is missing is named in full: `[ …(2) ]` in the log of a run elsewhere says nothing.
    chaiConfig: { truncateThreshold: 0 },
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    maxWorkers: atOnce,
  },
});
