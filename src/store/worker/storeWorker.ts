import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../base/clock';
import { openStoreAt } from './openedStore';
import { StoreService } from './storeService';
import type { ToWorker } from './workerMessages';

/** Entry of `dist/storeWorker.js`: a thread around a `StoreService`. `sql-wasm.wasm` lies beside the bundle. */
const port = parentPort;
if (!port) throw new Error('The store worker must be started as a worker thread.');

const service = new StoreService(openStoreAt(__dirname), (message) => port.postMessage(message), systemClock, setImmediate);
port.on('message', (message: ToWorker) => service.receive(message));
