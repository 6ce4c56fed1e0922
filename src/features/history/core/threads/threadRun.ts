import { Worker } from 'node:worker_threads';
import { translations } from '../../../../base/translate';
import { reviveStoreError, StoreError, type StoreErrorData } from '../../../../store/storeError';

/** Messages of a thread that does one piece of work and ends. Both sides come from one build, so they are typed and not
 *  validated. */
export type FromThread<R> =
  | { readonly kind: 'progress'; readonly progress: ThreadProgress }
  | { readonly kind: 'done'; readonly result: R }
  | { readonly kind: 'failed'; readonly error: StoreErrorData };

/** Counts sessions. */
export interface ThreadProgress {
  readonly done: number;
  readonly total: number;
}

export interface ThreadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ThreadProgress) => void;
}

/** Shared with the thread: not zero once the work is stopped. */
export interface ThreadStop {
  readonly stop: Int32Array;
}

interface ThreadWork {
  /** Path of the bundle. */
  readonly entry: string;
  readonly name: string;
  /** Start parameters. The thread also gets `ThreadStop` and `translations`. */
  readonly data: object;
  /** Sentence for an end without a result. */
  readonly unexpected: string;
}

/** Runs a thread that lives for one piece of work. A stopped thread ends by itself, and removes its private copy and
 *  unfinished files. Rejects with a `StoreError`, or with the signal's reason. */
export function runThread<R>(
  { entry, name, data, unexpected }: ThreadWork,
  { signal, onProgress }: ThreadOptions,
): Promise<R> {
  return new Promise((resolve, reject) => {
    const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const worker = new Worker(entry, { name, workerData: { ...data, stop, translations: translations() } });
    const stopThread = (): void => void Atomics.store(stop, 0, 1);
    signal?.addEventListener('abort', stopThread);
    const end = (settle: () => void): void => {
      signal?.removeEventListener('abort', stopThread);
      settle();
    };
    const fail = (technical: string): void => end(() => reject(new StoreError('unknown', unexpected, technical)));
    worker.on('message', (message: FromThread<R>) => {
      switch (message.kind) {
        case 'progress':
          return onProgress?.(message.progress);
        case 'done':
          end(() => resolve(message.result));
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
