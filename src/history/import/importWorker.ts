import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { systemClock } from '../../base/clock';
import { setTranslations, type Translations } from '../../base/translate';
import { NodeFileSystem } from '../../store/engine/nodeFileSystem';
import { loadSqlite, type Sqlite } from '../../store/engine/sqlite';
import { openForeignDatabase } from '../../store/library/foreignDatabase';
import { SystemProcessTable } from '../../store/lock/processLookup';
import { reviveStoreError, storeErrorData } from '../../store/storeError';
import { NodeHistoryFiles } from '../sources/reading/nodeHistoryFiles';
import { HistoryImport } from './historyImport';
import type { FromImport, ImportThread, TargetMethod, ToImport } from './importMessages';
import type { ImportTarget } from './importTarget';

/** Entry of `dist/importWorker.js`: a thread that does one job of a `HistoryImport`. `sql-wasm.wasm` is beside the
 *  bundle. */
if (!parentPort) throw new Error('The import worker must be started as a worker thread.');
const port: MessagePort = parentPort;

const { job, copies, translations } = workerData as ImportThread & { readonly translations: Translations };
setTranslations(translations);

const stop = new AbortController();
const calls = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
let lastCall = 0;

port.on('message', (message: ToImport) => {
  if (message.kind === 'abort') return stop.abort();
  const call = calls.get(message.id);
  calls.delete(message.id);
  if (message.kind === 'stored') call?.resolve(message.value);
  else call?.reject(reviveStoreError(message.error));
});

function send(message: FromImport): void {
  port.postMessage(message);
}

function callStore(method: TargetMethod, args: readonly unknown[]): Promise<never> {
  return new Promise((resolve, reject) => {
    const id = ++lastCall;
    calls.set(id, { resolve: (value) => resolve(value as never), reject });
    send({ kind: 'store', id, method, args });
  });
}

const target: ImportTarget = {
  importStates: (...args) => callStore('importStates', args),
  beginImport: (...args) => callStore('beginImport', args),
  addImported: (...args) => callStore('addImported', args),
  finishImport: (...args) => callStore('finishImport', args),
  discardImport: (...args) => callStore('discardImport', args),
  extendImport: (...args) => callStore('extendImport', args),
};

let sqlite: Promise<Sqlite> | null = null;

const importer = new HistoryImport({
  files: new NodeHistoryFiles(),
  openForeign: async (path) => {
    sqlite ??= loadSqlite(new Uint8Array(readFileSync(join(__dirname, 'sql-wasm.wasm'))));
    return openForeignDatabase(
      {
        sqlite: await sqlite,
        copies,
        fileSystem: new NodeFileSystem(),
        processes: new SystemProcessTable(),
        now: systemClock.now,
        pause: (milliseconds) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
      },
      path,
    );
  },
  target,
  now: systemClock.now,
});

function perform(): Promise<unknown> {
  const course = { signal: stop.signal, onProgress: (progress: FromProgress) => send({ kind: 'progress', progress }) };
  switch (job.kind) {
    case 'scan':
      return importer.scan(job.places, { ...job.course, ...course });
    case 'preview':
      return importer.preview(job.found);
    case 'run':
      return importer.run(job.found, { ...job.course, ...course });
  }
}

type FromProgress = Extract<FromImport, { kind: 'progress' }>['progress'];

void perform()
  .then(
    (value) => send({ kind: 'done', value }),
    (error: unknown) => send({ kind: 'failed', error: storeErrorData(error), isAborted: stop.signal.aborted }),
  )
  .finally(() => port.close());
