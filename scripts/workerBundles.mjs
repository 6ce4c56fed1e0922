/** The worker threads of the store and of an import, bundled as the extension ships them, for benchmarks. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Returns a new folder with storeWorker.js, importWorker.js and sql-wasm.wasm. The caller removes it. */
export async function workerBundles() {
  const { build } = await import('esbuild');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-worker-bundles-'));
  await build({
    entryPoints: {
      storeWorker: path.join(root, 'src/store/worker/storeWorker.ts'),
      importWorker: path.join(root, 'src/history/import/importWorker.ts'),
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify: true,
    logLevel: 'warning',
  });
  fs.copyFileSync(path.join(root, 'node_modules/sql.js/dist/sql-wasm.wasm'), path.join(folder, 'sql-wasm.wasm'));
  return folder;
}
