/** Runs the whole table of hostile commands in the sandbox; the tests run a share of it. */
import { spawnSync } from 'node:child_process';

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'slow', 'test/sandbox/canaries'];
const run = spawnSync(process.execPath, vitest, { stdio: 'inherit', env: { ...process.env, HERMES_CANARIES: 'all' } });
process.exit(run.status ?? 1);
