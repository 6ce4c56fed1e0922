import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** SQLite's WebAssembly, which is beside the bundle. Must be a thread's first import: V8 compiles it on other
 *  threads while this one still runs the rest of the bundle. */
export const sqliteModule: Promise<WebAssembly.Module> = WebAssembly.compile(
  readFileSync(join(__dirname, 'sql-wasm.wasm')),
);
// The opening reports the failure; without this handler an unawaited rejection would end the thread.
sqliteModule.catch(() => undefined);
