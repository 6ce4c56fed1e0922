// First import, so that SQLite compiles while the rest loads, and while the other thread still takes the lock.
import { sqliteModule } from './sqliteModule';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { setTranslations, type Translations } from '../../base/translate';
import { systemClock } from '../../base/clock';
import { NodeFileSystem } from '../engine/nodeFileSystem';
import { loadSqlite } from '../engine/sqlite';
import { MessageBatches } from './messageBatches';
import { openSessionStore, type OpenedStore, type StorePlace } from './openedStore';
import { StoreService } from './storeService';
import type { ToWorker } from './workerMessages';

/** Entry of `dist/storeWorker.js`: a thread around a `StoreService`. `sql-wasm.wasm` is beside the bundle. */
const port = parentPort;
if (!port) throw new Error('The store worker must be started as a worker thread.');

const { translations } = workerData as { readonly translations: Translations };
setTranslations(translations);

const loading = loadSqlite(sqliteModule);
// The opening reports the failure; without this handler an unawaited rejection would end the thread.
loading.catch(() => undefined);

async function open(place: StorePlace): Promise<OpenedStore> {
  const engine = {
    sqlite: await loading,
    fileSystem: new NodeFileSystem(),
    now: systemClock.now,
    monotonicMs: systemClock.monotonicMs,
  };
  return openSessionStore(engine, place);
}

const arrivals = new MessageBatches(() => receiveMessageOnPort(port)?.message as ToWorker | undefined, setImmediate);
const service = new StoreService(open, (message) => port.postMessage(message), systemClock, arrivals.soon);
port.on('message', (first: ToWorker) => arrivals.receive(first, (message) => service.receive(message)));
