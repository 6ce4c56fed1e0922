import { join } from 'node:path';
import { systemClock } from '../../../../base/clock';
import { serveCalls, threadStart, type CallContext } from '../../../../base/threads/served';
import { storeErrors } from '../../../../store/storeError';
import { nodeReadingDeps } from '../../../../store/library/nodeReading';
import { exportOptions } from './output/exportOptions';
import type { ExportedFile, ExportRequest } from './exportFile';
import { exportStore, useSecretBundle } from './storeExport';

export interface ExportThread {
  /** Folder of the store. */
  readonly store: string;
  /** Folder for private copies. */
  readonly copies: string;
  readonly request: ExportRequest;
}

/** Entry of `dist/exportWorker.js`: writes one file. `sql-wasm.wasm` and `secretlint.js` are beside the bundle. */
const methods = {
  export: async (
    { onProgress, throwIfAborted }: CallContext,
    { store, copies, request }: ExportThread,
  ): Promise<ExportedFile> => {
    // Without the bundle, the rules of our own still mask.
    useSecretBundle(join(__dirname, 'secretlint.js'), () => undefined);
    const deps = await nodeReadingDeps(join(__dirname, 'sql-wasm.wasm'), copies);
    const options = exportOptions(systemClock.now, undefined, onProgress);
    const pause = async (): Promise<void> => {
      await options.pause();
      throwIfAborted();
    };
    return exportStore(deps, store, request, { ...options, pause });
  },
};
export type ExportMethods = typeof methods;

serveCalls(threadStart().channel, storeErrors, methods);
