import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenForeignDatabase } from '../../../src/features/history/core/sources/reading/foreignDatabase';
import { NodeFileSystem } from '../../../src/store/engine/nodeFileSystem';
import { SqlJsDatabase } from '../../../src/store/engine/sqlJsDatabase';
import { writeNewFile } from '../../../src/store/engine/fileSystem';
import { configure } from '../../../src/store/open/configure';
import { openForeignDatabase } from '../../../src/store/library/foreignDatabase';
import { foreignReader } from '../../../src/store/library/foreignReader';
import { SystemProcessTable } from '../../../src/store/lock/processLookup';
import { SimulatedDisk } from '../simulatedDisk';
import { testSqlite } from '../sqlite';

const copies = mkdtempSync(join(tmpdir(), 'hermes-foreign-'));

/** The product's own way to open a database of another program. */
export const openForeign: OpenForeignDatabase = async (path) => {
  const fileSystem = new NodeFileSystem();
  const sqlite = await testSqlite();
  const deps = {
    fileSystem,
    processes: new SystemProcessTable(),
    now: () => Date.now() / 1000,
    pause: (milliseconds: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
    copies,
    readForeign: (folder: string) => foreignReader({ fileSystem, sqlite }, folder),
  };
  return openForeignDatabase(deps, path);
};

export const foreignCopies = copies;

/** Opens databases whose bytes are in memory. */
export function openInMemory(contents: { readonly main: Uint8Array; readonly log: Uint8Array }): OpenForeignDatabase {
  return async () => {
    const sqlite = await testSqlite();
    const fileSystem = new SimulatedDisk();
    writeNewFile(fileSystem, '/main', contents.main);
    if (contents.log.length > 0) writeNewFile(fileSystem, '/log', contents.log);
    const files = { fileSystem, folder: '/', mainPath: '/main', logPath: '/log', readOnly: true };
    const database = new SqlJsDatabase(sqlite.connect(files), () => undefined);
    configure(database, true);
    return { iterate: (sql, params) => database.iterate(sql, params), close: () => database.abandon() };
  };
}
