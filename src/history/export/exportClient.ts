import { Worker } from 'node:worker_threads';
import { t, translations } from '../../base/translate';
import { reviveStoreError, StoreError } from '../../store/storeError';
import type { ExportedFile } from './exportFile';
import type { ExportProgress, ExportThread, FromExport } from './exportMessages';

interface ThreadCourse {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
}

/** Exports sessions in a thread that lives for one export. Rejects with a `StoreError`, or with the signal's reason;
 *  then what was at the path before is unchanged. `entry`: path of `dist/exportWorker.js`. */
export function exportInThread(
  entry: string,
  thread: ExportThread,
  { signal, onProgress }: ThreadCourse = {},
): Promise<ExportedFile> {
  return new Promise((resolve, reject) => {
    const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const worker = new Worker(entry, {
      name: 'hermes-export',
      workerData: { ...thread, stop, translations: translations() },
    });
    // The thread ends when it is done, and removes its private copy and the unfinished file.
    const stopThread = (): void => void Atomics.store(stop, 0, 1);
    signal?.addEventListener('abort', stopThread);
    const end = (settle: () => void): void => {
      signal?.removeEventListener('abort', stopThread);
      settle();
    };
    const fail = (technical: string): void =>
      end(() => reject(new StoreError('unknown', t('The export ended unexpectedly. Try again.'), technical)));
    worker.on('message', (message: FromExport) => {
      switch (message.kind) {
        case 'progress':
          return onProgress?.(message.progress);
        case 'done':
          end(() => resolve(message.file));
          return void worker.terminate();
        case 'failed':
          end(() => reject(signal?.aborted === true ? signal.reason : reviveStoreError(message.error)));
          return void worker.terminate();
      }
    });
    worker.on('error', (error) => fail(String(error)));
    worker.on('exit', (code) => fail(`the thread ended with code ${code}`));
    if (signal?.aborted === true) stopThread();
  });
}
