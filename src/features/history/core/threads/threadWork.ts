import { parentPort, workerData } from 'node:worker_threads';
import { setTranslations, type Translations } from '../../../../base/translate';
import { storeErrorData } from '../../../../store/storeError';
import type { FromThread, ThreadProgress, ThreadStop } from './threadRun';

interface ThreadSurroundings {
  readonly onProgress: (progress: ThreadProgress) => void;
  /** Throws when the work was stopped. */
  readonly throwIfStopped: () => void;
}

/** Does the work of a thread that `runThread` started, and posts its result. `work` gets the start parameters. */
export function workInThread<D, R>(work: (data: D, surroundings: ThreadSurroundings) => Promise<R>): void {
  const port = parentPort;
  if (!port) throw new Error('This program must be started as a worker thread.');
  const { stop, translations, ...data } = workerData as ThreadStop & { readonly translations: Translations };
  setTranslations(translations);
  const post = (message: FromThread<R>): void => port.postMessage(message);
  const throwIfStopped = (): void => {
    if (Atomics.load(stop, 0) !== 0) throw new Error('The work was stopped.');
  };
  work(data as D, { onProgress: (progress) => post({ kind: 'progress', progress }), throwIfStopped }).then(
    (result) => post({ kind: 'done', result }),
    (error: unknown) => post({ kind: 'failed', error: storeErrorData(error) }),
  );
}
