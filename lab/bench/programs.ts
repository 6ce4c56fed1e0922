import { buildStoreWorker, type BuiltStoreWorker } from '../../test/support/storeWorker';

let built: Promise<BuiltStoreWorker> | undefined;

/** The folder with the worker threads as they are shipped (minified), `sql-wasm.wasm`, and the bench's own programs.
 *  Built on first use. */
export async function programs(): Promise<string> {
  built ??= buildStoreWorker(
    {
      storeThread: 'src/host/start/storeThread.ts',
      importWorker: 'src/features/history/core/import/importWorker.ts',
      storeProgram: 'lab/bench/store/storeProgram.ts',
      nativeThread: 'lab/bench/store/nativeThread.ts',
    },
    { minify: false },
  );
  return (await built).folder;
}

export async function removePrograms(): Promise<void> {
  (await built)?.remove();
}
