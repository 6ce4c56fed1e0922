import type { SqlDatabase } from '../engine/sqlDatabase';
import type { StoreEngine } from '../engine/sqlite';
import { SqlJsDatabase } from '../engine/sqlJsDatabase';
import { storeError } from '../engine/sqlFailure';
import type { StoreFiles } from './storeFiles';

const mebibyte = 1024 * 1024;

/** Page cache in KiB, negative as SQLite requires. */
const cacheKibibytes = -32_768;
/** Bytes, for the whole process. A request that needs more fails cleanly; without the limit one `DISTINCT` over all
 *  texts grew the heap to 1.6 GB, and wasm memory is never given back. */
const heapLimit = 512 * mebibyte;
/** Bytes. The log is truncated to this size after a checkpoint. */
const keptLogBytes = 16 * mebibyte;

/** Pages. A commit empties a log that has more into the file, where each page is then written once for many commits. */
const mostLogPages = 4000;

/** Configures a new connection. The order matters: without shared memory SQLite can use a log only when the
 *  exclusive mode is on before the first read. Reads back the settings that durability depends on; throws when one
 *  did not take effect. */
export function configure(database: SqlDatabase, readOnly: boolean): void {
  const settings: readonly (readonly [pragma: string, value: string | number, expected?: string | number])[] = readOnly
    ? [
        ['locking_mode', 'EXCLUSIVE', 'exclusive'],
        ['query_only', 'ON', 1],
      ]
    : [
        ['locking_mode', 'EXCLUSIVE', 'exclusive'],
        ['journal_mode', 'WAL', 'wal'],
        // NORMAL loses acknowledged turns in a power cut (172 of 600 simulated ones).
        ['synchronous', 'FULL', 2],
        ['journal_size_limit', keptLogBytes],
        ['wal_autocheckpoint', mostLogPages],
        // Deleted rows and freed pages are overwritten: data that the user deletes must not stay readable in the file.
        ['secure_delete', 'ON', 1],
      ];
  const common = [
    ['foreign_keys', 'ON', 1],
    ['cache_size', cacheKibibytes],
    ['temp_store', 'MEMORY'],
    ['hard_heap_limit', heapLimit],
  ] as const;
  for (const [pragma, value, expected] of [...settings, ...common]) {
    database.all(`PRAGMA ${pragma}=${value}`);
    if (expected === undefined) continue;
    const actual = Object.values(database.get(`PRAGMA ${pragma}`) ?? {})[0];
    if (actual !== expected) throw storeError('unknown', `PRAGMA ${pragma} is ${String(actual)}, expected ${expected}`);
  }
}

/** Opens a file that no process writes to, for reading, as it is. `abandon` it afterwards. */
export function openToRead(
  { sqlite, fileSystem }: Pick<StoreEngine, 'sqlite' | 'fileSystem'>,
  { folder, main: mainPath, log: logPath }: Omit<StoreFiles, 'lock'>,
): SqlJsDatabase {
  const connection = sqlite.connect({ fileSystem, folder, mainPath, logPath, readOnly: true });
  const database = new SqlJsDatabase(connection, () => undefined);
  try {
    configure(database, true);
    return database;
  } catch (error) {
    database.abandon();
    throw error;
  }
}
