import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { setTranslations, type Translations } from '../../base/translate';
import { storeErrorData } from '../../store/storeError';
import { nodeBackupDeps } from '../backup/nodeBackups';
import { checkFile, checkHermesFile, checkStore } from './checking';
import type { CheckThread, FromCheck } from './checkMessages';
import type { CheckResult } from './findings/finding';

/** Entry of `dist/checkWorker.js`: checks one place and ends, which gives back the memory that SQLite took.
 *  `sql-wasm.wasm` is beside the bundle. */
const port = parentPort;
if (!port) throw new Error('The check worker must be started as a worker thread.');
const post = (message: FromCheck): void => port.postMessage(message);

const { place, copies, sessionId, translations } = workerData as CheckThread & { readonly translations: Translations };
setTranslations(translations);

const stopping = new AbortController();
port.on('message', () => stopping.abort(new Error('stopped')));

async function check(): Promise<CheckResult> {
  const deps = await nodeBackupDeps(join(__dirname, 'sql-wasm.wasm'), copies);
  const course = {
    signal: stopping.signal,
    onProgress: (progress: { readonly done: number; readonly total: number }) => post({ kind: 'progress', progress }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
  const checks = { own: checkStore, hermes: checkHermesFile, file: checkFile };
  return checks[place.kind](deps, place.path, course);
}

void check().then(
  (result) => post({ kind: 'done', result }),
  (error: unknown) => post({ kind: 'failed', error: storeErrorData(error) }),
);
