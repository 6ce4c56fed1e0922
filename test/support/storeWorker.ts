import { build } from 'esbuild';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface BuiltStoreWorker {
  readonly folder: string;
  /** What `openStore` is given as `workerEntry`. */
  readonly entry: string;
  remove(): void;
}

/** The store's worker as the product ships it: one CommonJS bundle with `sql-wasm.wasm` beside it, in a folder of its own. `more` names
 *  further entries to be bundled into that folder, by the file name they get. `minify`: as in the package, where loading time counts. */
export async function buildStoreWorker(
  more: Readonly<Record<string, string>> = {},
  { minify = false } = {},
): Promise<BuiltStoreWorker> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-store-worker-'));
  // Both start it to read databases of other programs.
  const readsForeign = 'importWorker' in more || 'checkWorker' in more;
  await build({
    entryPoints: {
      storeWorker: 'src/store/worker/storeWorker.ts',
      ...(readsForeign ? { foreignWorker: 'src/store/library/foreignWorker.ts' } : {}),
      ...more,
    },
    outdir: folder,
    bundle: true,
    // As the product is built: some packages cannot be bundled from their main file.
    mainFields: ['module', 'main'],
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify,
    logLevel: 'warning',
  });
  copyFileSync(createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm'), join(folder, 'sql-wasm.wasm'));
  return {
    folder,
    entry: join(folder, 'storeWorker.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
