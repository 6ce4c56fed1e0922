import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { setTranslations, type Translations } from '../../base/translate';
import { systemClock } from '../../base/clock';
import { NodeFileSystem } from '../engine/nodeFileSystem';
import { loadSqlite } from '../engine/sqlite';
import { SystemProcessTable } from '../lock/processLookup';
import { storeErrorData } from '../storeError';
import { Library, type LibraryOperations } from './library';
import type { LibraryAnswer, LibraryMethod, LibraryRequest, LibraryThread } from './libraryMessages';

/** Entry of `dist/libraryWorker.js`: a thread around a `Library`. `sql-wasm.wasm` is beside the bundle. */
const port = parentPort;
if (!port) throw new Error('The library worker must be started as a worker thread.');

const { copies, translations } = workerData as LibraryThread & { readonly translations: Translations };
setTranslations(translations);
const library: Promise<Library> = loadSqlite(new Uint8Array(readFileSync(join(__dirname, 'sql-wasm.wasm')))).then(
  (sqlite) =>
    new Library({
      sqlite,
      copies,
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

function perform<M extends LibraryMethod>(
  operations: LibraryOperations,
  method: M,
  args: Parameters<LibraryOperations[M]>,
): ReturnType<LibraryOperations[M]> {
  const table: {
    readonly [K in LibraryMethod]: (...args: Parameters<LibraryOperations[K]>) => ReturnType<LibraryOperations[K]>;
  } = {
    survey: (...given) => operations.survey(...given),
    listSessions: (...given) => operations.listSessions(...given),
    takeCopy: (...given) => operations.takeCopy(...given),
    removeCopy: (...given) => operations.removeCopy(...given),
    sweep: () => operations.sweep(),
  };
  return table[method](...args);
}

async function answer({ id, method, args }: LibraryRequest): Promise<LibraryAnswer> {
  try {
    return { id, value: perform(await library, method, args) };
  } catch (error) {
    return { id, error: storeErrorData(error) };
  }
}

port.on('message', (request: LibraryRequest) => void answer(request).then((message) => port.postMessage(message)));
