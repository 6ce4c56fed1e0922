import { join } from 'node:path';
import { nodeReadingDeps } from '../../../../store/library/nodeReading';
import { workInThread } from '../threads/threadWork';
import { checkFile, checkHermesFile, checkStore } from './checking';
import type { CheckThread } from './checkMessages';
import type { CheckResult } from './findings';

/** Entry of `dist/checkWorker.js`: checks one place and ends, which gives back the memory that SQLite took.
 *  `sql-wasm.wasm` is beside the bundle. */
workInThread<CheckThread, CheckResult>(async ({ place, copies, sessionId }, { onProgress, throwIfStopped }) => {
  const deps = await nodeReadingDeps(join(__dirname, 'sql-wasm.wasm'), copies);
  const checks = { own: checkStore, hermes: checkHermesFile, file: checkFile };
  return checks[place.kind](deps, place.path, {
    // Called before each session.
    onProgress: (progress) => {
      throwIfStopped();
      onProgress(progress);
    },
    ...(sessionId === undefined ? {} : { sessionId }),
  });
});
