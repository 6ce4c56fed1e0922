import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveCalls, threadStart, type CallContext } from '../../../base/threads/served';
import { systemClock } from '../../../base/clock';
import { NodeFileSystem } from '../../../store/engine/nodeFileSystem';
import { loadSqlite } from '../../../store/engine/sqlite';
import { SystemProcessTable } from '../../../store/lock/processLookup';
import { storeErrors } from '../../../store/storeError';
import { Library, type LibraryOperations } from '../../../store/library/library';

/** Entry of `dist/libraryWorker.js`: a thread around a `Library`. `sql-wasm.wasm` is beside the bundle. */
const { channel, data } = threadStart<{ readonly copies: string }>();

const library: Promise<Library> = loadSqlite(new Uint8Array(readFileSync(join(__dirname, 'sql-wasm.wasm')))).then(
  (sqlite) =>
    new Library({
      sqlite,
      copies: data.copies,
      fileSystem: new NodeFileSystem(),
      processes: new SystemProcessTable(),
      now: systemClock.now,
      pause,
    }),
);
// Each request reports the failure; without this handler an unawaited rejection would end the thread.
library.catch(() => undefined);

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function method<M extends keyof LibraryOperations>(name: M) {
  return async (
    _call: CallContext,
    ...args: Parameters<LibraryOperations[M]>
  ): Promise<ReturnType<LibraryOperations[M]>> => {
    const operations: {
      readonly [K in keyof LibraryOperations]: (
        ...given: Parameters<LibraryOperations[K]>
      ) => ReturnType<LibraryOperations[K]>;
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
