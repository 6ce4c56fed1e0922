import type { SqlDatabase } from '../engine/sqlDatabase';
import { storeError } from '../engine/sqlFailure';

const mebibyte = 1024 * 1024;

/** Page cache in KiB, as SQLite wants it (negative). */
const cacheKibibytes = -32_768;
/** Of the whole process. A request that needs more fails cleanly; without it one `DISTINCT` over all texts grew the heap to 1.6 GB, and
 *  wasm memory is never given back. */
const heapLimit = 512 * mebibyte;
/** The log is cut back to this after a checkpoint. */
const keptLogBytes = 16 * mebibyte;

/** Sets up a fresh connection. The order matters: without shared memory SQLite can use a log only when the exclusive mode is on before
 *  the first read. Settings that the promise rests on are read back; throws when one did not take. */
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
        // Deleted rows and freed pages are overwritten: what a person deletes must not be readable in the file.
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
