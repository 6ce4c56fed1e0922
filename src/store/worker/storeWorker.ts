// First import, so that SQLite compiles while the rest loads, and while the other thread still takes the lock.
import { threadStart } from '../../base/threads/served';
import { systemClock } from '../../base/clock';
import { NodeFileSystem } from '../engine/nodeFileSystem';
import { loadSqlite } from '../engine/sqlite';
import { openSessionStore, type OpenedStore, type StorePlace } from './openedStore';
import { StoreService } from './storeService';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** SQLite's WebAssembly, which is beside the bundle. Must be a thread's first import: V8 compiles it on other
 *  threads while this one still runs the rest of the bundle. */
const sqliteModule: Promise<WebAssembly.Module> = WebAssembly.compile(readFileSync(join(__dirname, 'sql-wasm.wasm')));
// The opening reports the failure; without this handler an unawaited rejection would end the thread.
sqliteModule.catch(() => undefined);

/** Entry of `dist/storeWorker.js`: a thread around a `StoreService`. `sql-wasm.wasm` is beside the bundle. */
const { channel } = threadStart();

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

new StoreService(open, channel, systemClock);
