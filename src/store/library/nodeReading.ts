import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../base/clock';
import { blockThread, NodeFileSystem } from '../engine/nodeFileSystem';
import { loadSqlite } from '../engine/sqlite';
import { readInThread, type ForeignDeps } from './foreignDatabase';
import type { ReadingDeps } from './foreignStore';
import { SystemProcessTable } from '../lock/processLookup';

/** What reads stores on the machine's own disk. `wasm`: path of `sql-wasm.wasm`, beside the bundles. `copies`: folder
 *  for private copies. */
export async function nodeReadingDeps(wasm: string, copies: string): Promise<ReadingDeps & ForeignDeps> {
  return {
    sqlite: await loadSqlite(new Uint8Array(readFileSync(wasm))),
    fileSystem: new NodeFileSystem(),
    processes: new SystemProcessTable(),
    now: systemClock.now,
    pause: blockThread,
    copies,
    readForeign: (folder) => readInThread(join(dirname(wasm), 'foreignWorker.js'), folder),
  };
}
