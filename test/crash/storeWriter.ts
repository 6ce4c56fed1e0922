import { readFileSync } from 'node:fs';
import { NodeFileSystem } from '../../src/store/engine/nodeFileSystem';
import { loadSqlite } from '../../src/store/engine/sqlite';
import { storeFiles } from '../../src/store/open/storeFiles';
import { acquireLock } from '../../src/store/lock/acquireLock';
import { SystemProcessTable } from '../../src/store/lock/processLookup';
import { noteTable, openTestDatabase } from '../support/testStore';

/** Writes transactions of three notes to a store until it is killed, and prints each one's number when it is acknowledged. Arguments:
 *  sql-wasm.wasm, folder, number of the first transaction. */
async function main(): Promise<void> {
  const [wasm = '', folder = '', first = '0'] = process.argv.slice(2);
  const sqlite = await loadSqlite(new Uint8Array(readFileSync(wasm)));
  const fileSystem = new NodeFileSystem();
  const attempt = acquireLock({
    fileSystem,
    folder,
    path: storeFiles(folder).lock,
    processes: new SystemProcessTable(),
    endpoint: null,
    now: () => Date.now() / 1000,
    uniqueName: () => String(process.hrtime.bigint()),
  });
  if (attempt.kind === 'heldBy') throw new Error(`locked by ${attempt.owner.description}`);
  const { database, report } = openTestDatabase(sqlite, fileSystem, folder, {
    assertOwned: () => attempt.lock.assertHeld(),
  });
  if (report.setAside !== null) throw new Error(`taken for damaged: ${report.setAside.damage}`);
  if (report.userVersion === 0) database.transaction(() => database.execute(noteTable));
  process.stdout.write('open\n');
  for (let n = Number(first); ; n += 1) {
    database.transaction(() => {
      for (const part of [0, 1, 2])
        database.run('INSERT INTO notes (uid, text) VALUES (?, ?)', [`${n}/${part}`, 'x'.repeat((n * 997) % 5000)]);
    });
    process.stdout.write(`${n}\n`);
    if (n % 50 === 49) database.all('PRAGMA wal_checkpoint(TRUNCATE)');
  }
}

void main();
