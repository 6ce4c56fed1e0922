/** Runs all tests of the sandbox, with the whole table of hostile commands; the tests run a share of that. */
import { spawnSync } from 'node:child_process';

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'slow', 'test/sandbox/'];
const run = spawnSync(process.execPath, vitest, { stdio: 'inherit', env: { ...process.env, HERMES_CANARIES: 'all' } });
process.exit(run.status ?? 1);
