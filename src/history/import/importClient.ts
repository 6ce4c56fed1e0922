import { Worker } from 'node:worker_threads';
import { t, translations } from '../../base/translate';
import { reviveStoreError, StoreError, storeErrorData } from '../../store/storeError';
import type { ForeignSession } from '../sources/foreign';
import type { HistoryPlaces } from '../sources/historyPlaces';
import type { ImportCourse, ImportResult, Preview, Scan, ScanCourse, SessionImport } from './importing';
import type { FromImport, ImportJob, ImportThread, ToImport } from './importMessages';
import type { ImportTarget } from './importTarget';

export interface ImportClientDeps {
  /** Path of `dist/importWorker.js`. */
  readonly entry: string;
  /** Folder used only for private copies of other programs' databases. */
  readonly copies: string;
  readonly target: ImportTarget;
}

interface Course {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: never) => void) | undefined;
}

/** An import that reads and converts in a thread of its own. Each job starts one; only rows of the store pass through
 *  the calling thread. */
export class ImportClient implements SessionImport {
  constructor(private readonly deps: ImportClientDeps) {}

  scan(places: HistoryPlaces, { isOnlyChosen = false, ...course }: ScanCourse = {}): Promise<Scan> {
    return this.perform<Scan>({ kind: 'scan', places, course: { isOnlyChosen } }, course);
  }

  preview(found: readonly ForeignSession[]): Promise<Preview> {
    return this.perform<Preview>({ kind: 'preview', found }, {});
  }

  run(
    found: readonly ForeignSession[],
    { includeForgotten = false, ...course }: ImportCourse = {},
  ): Promise<ImportResult> {
    return this.perform<ImportResult>({ kind: 'run', found, course: { includeForgotten } }, course);
  }

  private async perform<T>(job: ImportJob, { signal, onProgress }: Course): Promise<T> {
    signal?.throwIfAborted();
    const { entry, copies } = this.deps;
    const data: ImportThread = { job, copies };
    const worker = new Worker(entry, { name: 'hermes-import', workerData: { ...data, translations: translations() } });
    // A closing window does not wait for the thread.
    worker.unref();
    const post = (message: ToImport): void => worker.postMessage(message);
    const abort = (): void => post({ kind: 'abort' });
    signal?.addEventListener('abort', abort);
    try {
      return await new Promise<T>((resolve, reject) => {
        const broken = (technical: string): void =>
          reject(new StoreError('unknown', t('Sessions couldn’t be imported. Try again.'), technical));
        worker.on('error', (error) => broken(String(error)));
        worker.on('exit', (code) => broken(`the thread ended with code ${code}`));
        worker.on('message', (message: FromImport) => {
          switch (message.kind) {
            case 'progress':
              return onProgress?.(message.progress as never);
            case 'store':
              return void this.callStore(message).then(post);
            case 'done':
              return resolve(message.value as T);
            case 'failed':
              return reject(message.isAborted && signal ? signal.reason : reviveStoreError(message.error));
          }
        });
      });
    } finally {
      signal?.removeEventListener('abort', abort);
      await worker.terminate();
    }
  }

  private async callStore({ id, method, args }: Extract<FromImport, { kind: 'store' }>): Promise<ToImport> {
    const call = this.deps.target[method] as (...args: readonly unknown[]) => Promise<unknown>;
    try {
      return { kind: 'stored', id, value: await call(...args) };
    } catch (error) {
      return { kind: 'refused', id, error: storeErrorData(error) };
    }
  }
}
