import { join } from 'node:path';
import { systemClock } from '../../../../base/clock';
import { t } from '../../../../base/translate';
import { nodeReadingDeps } from '../../../../store/library/nodeReading';
import { workInThread } from '../threads/threadWork';
import { exportOptions } from './exportOptions';
import type { ExportedFile } from './exportFile';
import type { ExportThread } from './exportMessages';
import { exportStore, useSecretBundle } from './storeExport';

/** Entry of `dist/exportWorker.js`: writes one file and ends, which gives back the memory that SQLite took.
 *  `sql-wasm.wasm` and `secretlint.js` are beside the bundle. */
workInThread<ExportThread, ExportedFile>(async ({ store, copies, request }, { onProgress, throwIfStopped }) => {
  // Without the bundle, the rules of our own still mask.
  useSecretBundle(join(__dirname, 'secretlint.js'), () => undefined);
  const deps = await nodeReadingDeps(join(__dirname, 'sql-wasm.wasm'), copies);
  const options = exportOptions(systemClock.now, undefined, onProgress);
  const pause = async (): Promise<void> => {
    await options.pause();
    throwIfStopped();
  };
  return exportStore(deps, store, { ...request, t }, { ...options, pause });
});
