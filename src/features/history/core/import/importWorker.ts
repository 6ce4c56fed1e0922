import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../../base/clock';
import { setTranslations, type Translations } from '../../../../base/translate';
import { openForeignDatabase } from '../../../../store/library/foreignDatabase';
import { reviveStoreError, storeErrorData } from '../../../../store/storeError';
import { nodeReadingDeps } from '../../../../store/library/nodeReading';
import { NodeHistoryFiles } from '../sources/reading/nodeHistoryFiles';
import { openedExport, openedFile } from './openedExport';
import { HistoryImport } from './historyImport';
import type { FromImport, ImportTask, ImportThread, TargetCall, TaskResults, ToImport } from './importMessages';
import type { ImportTarget } from './importTarget';

/** Entry of `dist/importWorker.js`: a thread around a `HistoryImport`. `sql-wasm.wasm` is beside the bundle. */
const port = parentPort;
if (!port) throw new Error('The import worker must be started as a worker thread.');
const post = (message: FromImport): void => port.postMessage(message);

const { copies, translations } = workerData as ImportThread & { readonly translations: Translations };
setTranslations(translations);

let loaded: ReturnType<typeof nodeReadingDeps> | undefined;
const readingDeps = (): ReturnType<typeof nodeReadingDeps> =>
  (loaded ??= nodeReadingDeps(join(__dirname, 'sql-wasm.wasm'), copies));

const pending = new Map<
  number,
  { readonly resolve: (value: never) => void; readonly reject: (error: unknown) => void }
>();
const stops = new Map<number, AbortController>();
let lastCall = 0;

function ask<T>(request: TargetCall): Promise<T> {
  const call = ++lastCall;
  return new Promise<T>((resolve, reject) => {
    pending.set(call, { resolve, reject });
    post({ kind: 'store', call, request });
  });
}

const target: ImportTarget = {
  importStates: (...args) => ask({ method: 'importStates', args }),
  beginImport: (...args) => ask({ method: 'beginImport', args }),
  importWhole: (...args) => ask({ method: 'importWhole', args }),
  addImported: (...args) => ask({ method: 'addImported', args }),
  finishImport: (...args) => ask({ method: 'finishImport', args }),
  discardImport: (...args) => ask({ method: 'discardImport', args }),
  extendImport: (...args) => ask({ method: 'extendImport', args }),
};

const sources = {
  files: new NodeHistoryFiles(),
  openForeign: async (path: string) => openForeignDatabase(await readingDeps(), path),
};
const importer = new HistoryImport({ ...sources, target, now: systemClock.now });

function perform(id: number, task: ImportTask, signal: AbortSignal): Promise<TaskResults[ImportTask['kind']]> {
  switch (task.kind) {
    case 'scan':
      return importer.scan(task.places, {
        signal,
        isOnlyChosen: task.isOnlyChosen,
        ...(task.files === null ? {} : { files: task.files }),
        onProgress: (progress) => post({ kind: 'progress', id, progress }),
      });
    case 'openExport':
      return readingDeps().then((deps) => openedExport({ ...deps, ...sources }, task.path));
    case 'openFile':
      return readingDeps().then((deps) =>
        openedFile({ ...deps, ...sources }, task.path, {
          signal,
          onProgress: (progress) => post({ kind: 'progress', id, progress }),
        }),
      );
    case 'preview':
      return importer.preview(task.found);
    case 'run':
      return importer.run(task.found, {
        signal,
        includeForgotten: task.includeForgotten,
        onProgress: (progress) => post({ kind: 'progress', id, progress }),
      });
  }
}

async function run(id: number, task: ImportTask): Promise<void> {
  const stop = new AbortController();
  stops.set(id, stop);
  try {
    post({ kind: 'done', id, value: await perform(id, task, stop.signal) });
  } catch (error) {
    post({ kind: 'failed', id, error: storeErrorData(error) });
  } finally {
    stops.delete(id);
  }
}

port.on('message', (message: ToImport) => {
  switch (message.kind) {
    case 'task':
      return void run(message.id, message.task);
    case 'cancel':
      return stops.get(message.id)?.abort();
    case 'stored':
      pending.get(message.call)?.resolve(message.value as never);
      return void pending.delete(message.call);
    case 'refused':
      pending.get(message.call)?.reject(reviveStoreError(message.error));
      return void pending.delete(message.call);
  }
});
