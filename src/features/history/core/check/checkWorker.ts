import { join } from 'node:path';
import { serveCalls, threadStart, type CallContext } from '../../../../base/threads/served';
import { storeErrors } from '../../../../store/storeError';
import { nodeReadingDeps } from '../../../../store/library/nodeReading';
import { checkFile, checkStore } from './checking';
import type { CheckResult } from './findings';

export interface CheckThread {
  /** own: folder of a store. file: path of a store's database, or one of Hermes Agent. */
  readonly place: { readonly kind: 'own' | 'file'; readonly path: string };
  /** Folder for private copies. */
  readonly copies: string;
  /** Only this session of a store. Default: all. */
  readonly sessionId?: string;
}

/** Entry of `dist/checkWorker.js`: checks one place. `sql-wasm.wasm` is beside the bundle. */
const methods = {
  check: async (
    { onProgress, throwIfAborted }: CallContext,
    { place, copies, sessionId }: CheckThread,
  ): Promise<CheckResult> => {
    const deps = await nodeReadingDeps(join(__dirname, 'sql-wasm.wasm'), copies);
    return (place.kind === 'own' ? checkStore : checkFile)(deps, place.path, {
      // Called before each session.
      onProgress: (progress) => {
        throwIfAborted();
        onProgress(progress);
      },
      ...(sessionId === undefined ? {} : { sessionId }),
    });
  },
};
export type CheckMethods = typeof methods;

serveCalls(threadStart().channel, storeErrors, methods);
