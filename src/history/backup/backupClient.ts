import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { t, translations } from '../../base/translate';
import type { SessionStore } from '../../store/sessionStore';
import type { BroughtOver } from '../../store/bringingOver';
import { reviveStoreError, StoreError } from '../../store/storeError';
import type { BackupPlace } from './backupDeps';
import type { BackupAnswer, BackupArguments, BackupMethod, BackupResults, BackupThread } from './backupMessages';
import { bringBack } from './restoring';

/** `Backups` in a thread that lives for one call. Calls run one after the other. Every method rejects with a
 *  `StoreError`. */
export class BackupClient {
  private last: Promise<unknown> = Promise.resolve();

  /** `entry`: path of `dist/backupWorker.js`. `copies`: folder for private copies. */
  constructor(
    private readonly entry: string,
    private readonly place: BackupPlace,
    private readonly copies: string,
  ) {}

  call<M extends BackupMethod>(method: M, ...args: BackupArguments[M]): Promise<BackupResults[M]> {
    const result = this.last.then(() => this.run(method, args));
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Brings the conversation of a session, or everything, back into the present history. What both have keeps the
   *  longer text. */
  async bringBack(
    store: Pick<SessionStore, 'bringOver'>,
    id: string,
    conversationOf: string | null,
    signal?: AbortSignal,
  ): Promise<BroughtOver> {
    const copy = await this.call('takeCopy', id, conversationOf);
    try {
      return await bringBack(store, copy, signal);
    } finally {
      await rm(copy.folder, { recursive: true, force: true });
    }
  }

  private run<M extends BackupMethod>(method: M, args: BackupArguments[M]): Promise<BackupResults[M]> {
    const workerData: BackupThread = {
      place: this.place,
      copies: this.copies,
      call: { method, args } as BackupThread['call'],
    };
    return new Promise((resolve, reject) => {
      const worker = new Worker(this.entry, {
        name: 'hermes-backup',
        workerData: { ...workerData, translations: translations() },
      });
      const fail = (technical: string): void =>
        reject(new StoreError('unknown', t('The work on backups ended unexpectedly. Try again.'), technical));
      worker.on('message', (answer: BackupAnswer) => {
        if ('error' in answer) reject(reviveStoreError(answer.error));
        else resolve(answer.value as BackupResults[M]);
        void worker.terminate();
      });
      worker.on('error', (error) => fail(String(error)));
      worker.on('exit', (code) => fail(`the thread ended with code ${code}`));
      // A closing window does not wait for the thread.
      worker.unref();
    });
  }
}
