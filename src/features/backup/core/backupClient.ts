import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { t, translations } from '../../../base/translate';
import type { SessionStore } from '../../../store/sessionStore';
import type { WorkProgress } from '../../../store/slicedWork';
import type { CopiedSessions } from '../../../store/sessionCopying';
import { reviveStoreError, StoreError } from '../../../store/storeError';
import type { BackupPlace } from './backupDeps';
import type { BackupAnswer, BackupArguments, BackupMethod, BackupResults, BackupThread } from './backupMessages';
import { bringBack } from '../../../store/library/bringBack';

/** What to bring back from a backup. */
export interface BackupPart {
  readonly id: string;
  /** Folder that holds the backup. Default: that of the store. */
  readonly folder?: string | undefined;
  /** Conversations, by a session of each; null: everything. */
  readonly conversationsOf: readonly string[] | null;
}

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
    return this.stoppable(undefined, method, ...args);
  }

  /** As `call`. Rejects with the reason of the signal when it was aborted meanwhile: `make`, `verify` and `takeCopy`
   *  end early then, the others are done first. */
  stoppable<M extends BackupMethod>(
    signal: AbortSignal | undefined,
    method: M,
    ...args: BackupArguments[M]
  ): Promise<BackupResults[M]> {
    const result = this.last.then(() => this.run(method, args, signal));
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Brings the conversations of sessions, or everything, back into the present history. What both have keeps the
   *  longer text. */
  async bringBack(
    store: Pick<SessionStore, 'copyToThisFolder'>,
    { id, folder, conversationsOf }: BackupPart,
    signal?: AbortSignal,
    onProgress?: (progress: WorkProgress) => void,
  ): Promise<CopiedSessions> {
    const copy = await this.stoppable(signal, 'takeCopy', id, conversationsOf, folder);
    try {
      return await bringBack(store, copy, signal, onProgress);
    } finally {
      await rm(copy.folder, { recursive: true, force: true });
    }
  }

  private run<M extends BackupMethod>(
    method: M,
    args: BackupArguments[M],
    signal?: AbortSignal,
  ): Promise<BackupResults[M]> {
    const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const workerData: BackupThread = {
      place: this.place,
      copies: this.copies,
      stop,
      call: { method, args } as BackupThread['call'],
    };
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', () => Atomics.store(stop, 0, 1), { once: true });
      const worker = new Worker(this.entry, {
        name: 'hermes-backup',
        workerData: { ...workerData, translations: translations() },
      });
      const fail = (technical: string): void =>
        reject(new StoreError('unknown', t('The work on backups ended unexpectedly. Try again.'), technical));
      worker.on('message', (answer: BackupAnswer) => {
        if (signal?.aborted === true) reject(reasonOf(signal));
        else if ('error' in answer) reject(reviveStoreError(answer.error));
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

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
