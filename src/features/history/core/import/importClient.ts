import { Worker } from 'node:worker_threads';
import { t, translations } from '../../../../base/translate';
import { reviveStoreError, StoreError, storeErrorData } from '../../../../store/storeError';
import type { ForeignSession } from '../sources/foreign';
import type { HistoryPlaces } from '../sources/historyPlaces';
import type {
  ImportOptions,
  ImportProgress,
  ImportResult,
  OpenedExport,
  OpenedFile,
  Preview,
  Scan,
  ScanOptions,
  ImportService,
} from './importing';
import type { FromImport, ImportTask, ImportThread, TargetCall, TaskResults, ToImport } from './importMessages';
import type { ImportTarget } from './importTarget';

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: (progress: never) => void;
}

/** An import whose reading and conversion run in a thread of their own, started with the first task. Its calls of the
 *  store pass through here. Call `close` when the import is done. */
export class ImportClient implements ImportService {
  private readonly pending = new Map<number, Pending>();
  private worker: Worker | null = null;
  private lastId = 0;

  /** `entry`: path of `dist/importWorker.js`. */
  constructor(
    private readonly entry: string,
    private readonly thread: ImportThread,
    private readonly target: ImportTarget,
  ) {}

  scan(places: HistoryPlaces, options: ScanOptions = {}): Promise<Scan> {
    const { signal, onProgress, isOnlyChosen = false, files = null } = options;
    return this.perform<'scan', number>({ kind: 'scan', places, isOnlyChosen, files }, signal, onProgress);
  }

  /** Reads a file of ours. Rejects with a `StoreError` for one that is not whole, or of a later version. */
  openExport(path: string): Promise<OpenedExport> {
    return this.perform<'openExport', never>({ kind: 'openExport', path });
  }

  /** Reads any file with sessions into a private store, which the caller removes. Writes nothing else. Rejects with a
   *  `StoreError` when it holds no session that can be read, and when the signal aborts. */
  openFile(path: string, { signal, onProgress }: Omit<ImportOptions, 'includeForgotten'> = {}): Promise<OpenedFile> {
    return this.perform<'openFile', ImportProgress>({ kind: 'openFile', path }, signal, onProgress);
  }

  preview(found: readonly ForeignSession[]): Promise<Preview> {
    return this.perform<'preview', never>({ kind: 'preview', found });
  }

  run(found: readonly ForeignSession[], options: ImportOptions = {}): Promise<ImportResult> {
    const { signal, onProgress, includeForgotten = false } = options;
    return this.perform<'run', ImportProgress>({ kind: 'run', found, includeForgotten }, signal, onProgress);
  }

  /** Ends the thread. Tasks in progress fail; a session that is not whole is removed by the store. */
  async close(): Promise<void> {
    const { worker } = this;
    this.worker = null;
    await worker?.terminate();
    this.fail('the import was closed');
  }

  private async perform<K extends ImportTask['kind'], P>(
    task: ImportTask & { readonly kind: K },
    signal?: AbortSignal,
    onProgress: (progress: P) => void = () => undefined,
  ): Promise<TaskResults[K]> {
    const worker = (this.worker ??= this.start());
    const id = ++this.lastId;
    const cancel = (): void => this.post(worker, { kind: 'cancel', id });
    signal?.addEventListener('abort', cancel);
    try {
      return await new Promise<TaskResults[K]>((resolve, reject) => {
        this.pending.set(id, { resolve, reject, onProgress });
        worker.ref();
        this.post(worker, { kind: 'task', id, task });
        if (signal?.aborted === true) cancel();
      });
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.pending.delete(id);
      // A thread without a task keeps no process alive.
      if (this.pending.size === 0) worker.unref();
    }
  }

  private start(): Worker {
    const worker = new Worker(this.entry, {
      name: 'hermes-import',
      workerData: { ...this.thread, translations: translations() },
    });
    worker.on('message', (message: FromImport) => this.receive(worker, message));
    worker.on('error', (error) => this.failed(worker, String(error)));
    worker.on('exit', (code) => this.failed(worker, `the thread ended with code ${code}`));
    return worker;
  }

  private receive(worker: Worker, message: FromImport): void {
    switch (message.kind) {
      case 'store':
        return void this.serve(worker, message.call, message.request);
      case 'progress':
        return this.pending.get(message.id)?.onProgress(message.progress as never);
      case 'done':
        return this.pending.get(message.id)?.resolve(message.value as never);
      case 'failed':
        return this.pending.get(message.id)?.reject(reviveStoreError(message.error));
    }
  }

  private async serve(worker: Worker, call: number, request: TargetCall): Promise<void> {
    try {
      const value = await callTarget(this.target, request);
      this.post(worker, { kind: 'stored', call, value });
    } catch (error) {
      this.post(worker, { kind: 'refused', call, error: storeErrorData(error) });
    }
  }

  private post(worker: Worker, message: ToImport): void {
    if (this.worker === worker) worker.postMessage(message);
  }

  private failed(worker: Worker, technical: string): void {
    if (this.worker !== worker) return;
    this.worker = null;
    this.fail(technical);
  }

  private fail(technical: string): void {
    const error = new StoreError(
      'unknown',
      t('The import ended early. Sessions that were imported before are kept. Start it again to continue.'),
      technical,
    );
    for (const { reject } of this.pending.values()) reject(error);
  }
}

function callTarget(target: ImportTarget, request: TargetCall): Promise<unknown> {
  switch (request.method) {
    case 'importStates':
      return target.importStates(...request.args);
    case 'beginImport':
      return target.beginImport(...request.args);
    case 'importWhole':
      return target.importWhole(...request.args);
    case 'addImported':
      return target.addImported(...request.args);
    case 'finishImport':
      return target.finishImport(...request.args);
    case 'discardImport':
      return target.discardImport(...request.args);
    case 'extendImport':
      return target.extendImport(...request.args);
  }
}
