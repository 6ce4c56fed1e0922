import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** SQLite's WebAssembly, which lies beside the bundle. To be the first import of a thread: V8 compiles it on other threads while this one
 *  still runs the rest of the bundle. */
export const sqliteModule: Promise<WebAssembly.Module> = WebAssembly.compile(
  readFileSync(join(__dirname, 'sql-wasm.wasm')),
);
// Whoever opens hears of a failure; a rejection that nobody has awaited yet would end the thread.
sqliteModule.catch(() => undefined);
