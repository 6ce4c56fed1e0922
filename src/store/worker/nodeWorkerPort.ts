import { Worker } from 'node:worker_threads';
import { translations } from '../../base/translate';
import type { WorkerPort } from './storeClient';
import type { FromWorker } from './workerMessages';

/** Starts the store's worker from its bundle. The thread begins to load SQLite at once, before it receives what to
 *  open. `data` is for entries that use more of `workerData`: the store's worker uses only the translations. */
export function startNodeWorker(entry: string, data?: object): WorkerPort {
  const worker = new Worker(entry, { name: 'hermes-store', workerData: { ...data, translations: translations() } });
  let ended: Promise<unknown> | null = null;
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => {
      worker.on('message', (message: FromWorker) => listener(message));
    },
    onExit: (listener) => {
      let reason: string | null = null;
      worker.on('error', (error) => {
        reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      });
      // For a message that cannot be read the response would never arrive.
      worker.on('messageerror', (error) => {
        reason = `A message of the worker could not be read: ${error.message}`;
        void worker.terminate();
      });
      worker.on('exit', (code) => listener(reason ?? `The worker ended with code ${code}.`));
    },
    terminate: async () => {
      ended ??= worker.terminate();
      await ended;
    },
  };
}
