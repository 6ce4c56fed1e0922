import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../base/clock';
import { setTranslations, t, type Translations } from '../../base/translate';
import { storeErrorData } from '../../store/storeError';
import { nodeBackupDeps } from '../backup/nodeBackups';
import { exportCourse } from './exportCourse';
import type { ExportedFile } from './exportFile';
import type { ExportStop, ExportThread, FromExport } from './exportMessages';
import { exportStore, useSecretBundle } from './storeExport';

/** Entry of `dist/exportWorker.js`: writes one file and ends, which gives back the memory that SQLite took.
 *  `sql-wasm.wasm` and `secretlint.js` are beside the bundle. */
const port = parentPort;
if (!port) throw new Error('The export worker must be started as a worker thread.');
const post = (message: FromExport): void => port.postMessage(message);

const { store, copies, request, stop, translations } = workerData as ExportThread &
  ExportStop & { readonly translations: Translations };
setTranslations(translations);
// Without the bundle, the rules of our own still mask.
useSecretBundle(join(__dirname, 'secretlint.js'), () => undefined);

async function run(): Promise<ExportedFile> {
  const deps = await nodeBackupDeps(join(__dirname, 'sql-wasm.wasm'), copies);
  const course = exportCourse(systemClock.now, undefined, (progress) => post({ kind: 'progress', progress }));
  const pause = async (): Promise<void> => {
    await course.pause();
    if (Atomics.load(stop, 0) !== 0) throw new Error('The export was stopped.');
  };
  return exportStore(deps, store, { ...request, t }, { ...course, pause });
}

void run().then(
  (file) => post({ kind: 'done', file }),
  (error: unknown) => post({ kind: 'failed', error: storeErrorData(error) }),
);
