import { join } from 'node:path';
import { serveCalls, threadStart, type CallContext } from '../../../base/threads/served';
import { nodeReadingDeps } from '../../../store/library/nodeReading';
import { storeErrors } from '../../../store/storeError';
import { Library } from '../../../store/library/library';

/** Entry of `dist/libraryWorker.js`: a thread around a `Library`. `sql-wasm.wasm` is beside the bundle. */
const { channel, data } = threadStart<{ readonly copies: string }>();

const library: Promise<Library> = nodeReadingDeps(join(__dirname, 'sql-wasm.wasm'), data.copies).then(
  (deps) => new Library(deps),
);
// Each request reports the failure; without this handler an unawaited rejection would end the thread.
library.catch(() => undefined);

function method<M extends keyof Library>(name: M) {
  return async (_call: CallContext, ...args: Parameters<Library[M]>): Promise<ReturnType<Library[M]>> => {
    const operations: {
      readonly [K in keyof Library]: (...given: Parameters<Library[K]>) => ReturnType<Library[K]>;
    } = await library;
    return operations[name](...args);
  };
}

const methods = {
  survey: method('survey'),
  listSessions: method('listSessions'),
  takeCopy: method('takeCopy'),
  removeCopy: method('removeCopy'),
  sweep: method('sweep'),
};
export type LibraryMethods = typeof methods;

serveCalls(channel, storeErrors, methods);
