import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Connection, Sqlite } from '../../src/store/engine/sqlite';
import { loadSqlite } from '../../src/store/engine/sqlite';

let loaded: Promise<Sqlite> | undefined;
const open = new Set<Connection>();

/** The engine as the product ships it. One per process: sql.js instantiates once. */
export function testSqlite(): Promise<Sqlite> {
  loaded ??= load();
  return loaded;
}

/** Ends every connection that is still open in this process, writing nothing. The memory of the engine is limited, and what one test file
 *  leaves open the next one would lack. */
export function endConnections(): void {
  for (const { handle, mounted, release } of open) {
    mounted.freeze();
    handle.close();
    release();
  }
  open.clear();
}

async function load(): Promise<Sqlite> {
  const sqlite = await loadSqlite(wasmBytes());
  const connect = sqlite.connect.bind(sqlite);
  sqlite.connect = (files) => {
    const connection = connect(files);
    const kept: Connection = {
      ...connection,
      release: () => {
        open.delete(kept);
        connection.release();
      },
    };
    open.add(kept);
    return kept;
  };
  return sqlite;
}

export const wasmPath = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm');

export function wasmBytes(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(wasmPath));
}
