import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../base/clock';
import { NodeFileSystem } from '../../store/engine/nodeFileSystem';
import { loadSqlite } from '../../store/engine/sqlite';
import { readInThread, type ForeignDeps } from '../../store/library/foreignDatabase';
import { SystemProcessTable } from '../../store/lock/processLookup';
import type { BackupDeps } from './backupDeps';

/** Backups on the machine's own disk. `wasm`: path of `sql-wasm.wasm`, beside the bundles. `copies`: folder for private
 *  copies. */
export async function nodeBackupDeps(wasm: string, copies: string): Promise<BackupDeps & ForeignDeps> {
  return {
    sqlite: await loadSqlite(new Uint8Array(readFileSync(wasm))),
    fileSystem: new NodeFileSystem(),
    processes: new SystemProcessTable(),
    now: systemClock.now,
    pause: (milliseconds) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
    copies,
    readForeign: (folder) => readInThread(join(dirname(wasm), 'foreignWorker.js'), folder),
  };
}
