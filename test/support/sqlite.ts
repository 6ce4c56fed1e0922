import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Sqlite } from '../../src/store/engine/sqlite';
import { loadSqlite } from '../../src/store/engine/sqlite';

let loaded: Promise<Sqlite> | undefined;

/** The engine as the product ships it. One per process: sql.js instantiates once. */
export function testSqlite(): Promise<Sqlite> {
  loaded ??= loadSqlite(wasmBytes());
  return loaded;
}

export const wasmPath = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm');

export function wasmBytes(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(wasmPath));
}
