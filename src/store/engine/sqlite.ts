import initSqlJs from 'sql.js';
import type { Database, SqlJsStatic } from 'sql.js';
import { StoreError } from '../storeError';
import type { DatabaseFiles, MountedDatabase } from './databaseFiles';
import type { WasmParts } from './defaultVfs';
import { findDefaultVfs, unsuitableEngine, wasmParts } from './defaultVfs';
import type { FileSystem } from './fileSystem';
import { FileVfs } from './fileVfs';
import { sqlFailure } from './sqlFailure';

/** SQLite with our file layer in place. */
export class Sqlite {
  private readonly vfs: FileVfs;

  /** Checks the engine's layout through a temporary connection, then installs the file layer. Throws a `StoreError`
   *  that says so when the engine is not the known one. */
  constructor(
    private readonly module: SqlJsStatic,
    parts: WasmParts,
  ) {
    const probe = new module.Database(new Uint8Array(0));
    try {
      this.vfs = new FileVfs(module, parts, findDefaultVfs(parts, probe.db));
    } finally {
      probe.close();
    }
  }

  /** Opens one connection to these files. Their main file must exist. Throws a `StoreError` with the disk's reason. */
  connect(files: DatabaseFiles): Connection {
    return this.vfs.mount(files, (mounted) => {
      try {
        // An empty image gives sql.js the placeholder it unlinks at close; the file layer redirects SQLite to our
        // files.
        const handle = new this.module.Database(new Uint8Array(0));
        if (!mounted.mainOpened) {
          handle.close();
          throw unsuitableEngine('SQLite opened a database without asking the file layer');
        }
        return { handle, mounted, release: () => this.vfs.unmount(mounted) };
      } catch (error) {
        this.vfs.unmount(mounted);
        throw sqlFailure(error, mounted.diskFailure);
      }
    });
  }
}

/** An open connection, and the record of its disk failures. */
export interface Connection {
  readonly handle: Database;
  readonly mounted: MountedDatabase;
  /** Call once the handle is closed. */
  release(): void;
}

// sql.js instantiates once per process and ignores the settings of later calls, so the module with our file layer is
// kept.
let loaded: Promise<Sqlite> | undefined;

/** Loads SQLite from `sql-wasm.wasm`: from its bytes, or from a module that is still being compiled. Later calls
 *  return the same engine. */
export function loadSqlite(wasm: Uint8Array<ArrayBuffer> | Promise<WebAssembly.Module>): Promise<Sqlite> {
  loaded ??= instantiate(wasm);
  return loaded;
}

async function instantiate(wasm: Uint8Array<ArrayBuffer> | Promise<WebAssembly.Module>): Promise<Sqlite> {
  let compiled: WebAssembly.Module;
  try {
    compiled = wasm instanceof Uint8Array ? new WebAssembly.Module(wasm) : await wasm;
  } catch (error) {
    throw unsuitableEngine(`sql-wasm.wasm cannot be compiled (${String(error)})`);
  }
  let parts: WasmParts | undefined;
  let refusal: unknown;
  const module = await new Promise<SqlJsStatic>((resolve, reject) => {
    const settings = {
      useOldExtensionFunctions: false,
      instantiateWasm: (
        imports: WebAssembly.Imports,
        receive: (instance: WebAssembly.Instance) => void,
      ): WebAssembly.Exports => {
        const instance = new WebAssembly.Instance(compiled, imports);
        try {
          parts = wasmParts(instance);
        } catch (error) {
          refusal = error;
        }
        receive(instance);
        return instance.exports;
      },
    };
    initSqlJs(settings).then(resolve, reject);
  });
  if (refusal instanceof StoreError) throw refusal;
  if (parts === undefined) throw unsuitableEngine('sql.js was loaded before without the file layer');
  return new Sqlite(module, parts);
}

/** Dependencies for opening a store. */
export interface StoreEngine {
  readonly sqlite: Sqlite;
  readonly fileSystem: FileSystem;
  /** Seconds since the epoch. */
  readonly now: () => number;
  /** Monotonic milliseconds. Default: `now`. */
  readonly monotonicMs?: () => number;
}
