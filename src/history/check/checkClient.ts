import { Worker } from 'node:worker_threads';
import { t, translations } from '../../base/translate';
import { reviveStoreError, StoreError } from '../../store/storeError';
import type { CheckThread, FromCheck } from './checkMessages';
import type { CheckCourse, CheckResult } from './findings/finding';

/** Checks a place in a thread that lives for one check. Rejects with a `StoreError`, or with the signal's reason.
 *  `entry`: path of `dist/checkWorker.js`. */
export function checkInThread(
  entry: string,
  thread: CheckThread,
  { signal, onProgress }: CheckCourse = {},
): Promise<CheckResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, {
      name: 'hermes-check',
      workerData: { ...thread, translations: translations() },
    });
    // The thread ends when it is done, and removes its private copy.
    const stop = (): void => worker.postMessage('stop');
    signal?.addEventListener('abort', stop);
    const end = (settle: () => void): void => {
      signal?.removeEventListener('abort', stop);
      settle();
    };
    const fail = (technical: string): void =>
      end(() => reject(new StoreError('unknown', t('The check ended unexpectedly. Try again.'), technical)));
    worker.on('message', (message: FromCheck) => {
      switch (message.kind) {
        case 'progress':
          return onProgress?.(message.progress);
        case 'done':
          // It may have been done before it heard of the signal.
          end(() => (signal?.aborted === true ? reject(signal.reason) : resolve(message.result)));
          return void worker.terminate();
        case 'failed':
          end(() => reject(signal?.aborted === true ? signal.reason : reviveStoreError(message.error)));
          return void worker.terminate();
      }
    });
    worker.on('error', (error) => fail(String(error)));
    worker.on('exit', (code) => fail(`the thread ended with code ${code}`));
    if (signal?.aborted === true) stop();
  });
}
