import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../base/clock';
import { NodeFileSystem } from '../engine/nodeFileSystem';
import { loadSqlite } from '../engine/sqlite';
import { openSpillStore, type SpillPlace } from '../spill/spillStore';
import { openSessionStore, type OpenedStore, type StorePlace } from './openedStore';
import { StoreService } from './storeService';
import type { ToWorker } from './workerMessages';

/** Entry of `dist/storeWorker.js`: a thread around a `StoreService`. `sql-wasm.wasm` lies beside the bundle. */
const port = parentPort;
if (!port) throw new Error('The store worker must be started as a worker thread.');

// SQLite is compiled while the other thread still takes the lock.
const loading = loadSqlite(new Uint8Array(readFileSync(join(__dirname, 'sql-wasm.wasm'))));
// Whoever opens hears of a failure; a rejection that nobody has awaited yet would end the thread.
loading.catch(() => undefined);

async function open(place: StorePlace | SpillPlace): Promise<OpenedStore> {
  const engine = { sqlite: await loading, fileSystem: new NodeFileSystem(), now: systemClock.now };
  return 'header' in place ? openSpillStore(engine, place) : openSessionStore(engine, place);
}

const service = new StoreService(open, (message) => port.postMessage(message), systemClock, setImmediate);
port.on('message', (message: ToWorker) => service.receive(message));
