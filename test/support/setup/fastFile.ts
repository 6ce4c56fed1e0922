/** Holds a fast test file to what its suffix says: it starts no process, so no browser either. */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'vitest';

const starters = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const;

for (const name of starters)
  Object.defineProperty(childProcess, name, {
    configurable: true,
    writable: true,
    value: (program: unknown) => {
      const file = expect.getState().testPath ?? 'This file';
      throw new Error(`${file} starts a process (${name} ${String(program)}): name it *.slow.test.ts`);
    },
  });
syncBuiltinESMExports();
