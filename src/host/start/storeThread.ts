import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { keepOnceUp, runBundle, type StoreThreadData } from './compiledBundle';

/** Entry of `dist/storeThread.js`: runs `dist/storeWorker.js` in a worker thread, with code compiled in an earlier
 *  start if there is any. This extension itself starts the thread (`startStoreThread`). */
const { compiledFolder, keepAfterMs }: StoreThreadData = workerData;
const bundle = runBundle(join(__dirname, 'storeWorker.js'), join(compiledFolder, 'storeWorker.bin'));
if (!bundle.wasKept) keepOnceUp(bundle, keepAfterMs);
