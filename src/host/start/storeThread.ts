import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { keepOnceUp, runBundle } from './compiledBundle';
import type { StoreThreadData } from './storeThreadData';

/** Entry of `dist/storeThread.js`: runs `dist/storeWorker.js` in a thread, compiled in an earlier start where there was one. Who starts the
 *  thread is this extension itself (`startStoreThread`). */
const { compiledFolder, keepAfterMs }: StoreThreadData = workerData;
const bundle = runBundle(join(__dirname, 'storeWorker.js'), join(compiledFolder, 'storeWorker.bin'));
if (!bundle.wasKept) keepOnceUp(bundle, keepAfterMs);
