import { rm } from 'node:fs/promises';
import { callOnce } from '../../../base/threads/calledThread';
import { startThread } from '../../../base/threads/channel';
import { t } from '../../../base/translate';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { WorkProgress } from '../../../store/slicedWork';
import type { CopiedSessions } from '../../../store/sessionCopying';
import { StoreError, storeErrors } from '../../../store/storeError';
import type { BackupPlace } from './folder';
import type { BackupArguments, BackupMethod, BackupResults, BackupThread } from './backupWorker';
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

  private async run<M extends BackupMethod>(
    method: M,
    args: BackupArguments[M],
    signal?: AbortSignal,
  ): Promise<BackupResults[M]> {
    const { entry, place, copies } = this;
    const options = {
      start: () => startThread(entry, { name: 'hermes-backup', data: { place, copies } }),
      errors: storeErrors,
      ended: (technical: string) =>
        new StoreError('unknown', t('The work on backups ended unexpectedly. Try again.'), technical),
      // A closing window does not wait for the thread.
      isBackground: true,
    };
    const result = await callOnce<BackupThread, 'backups'>(options, 'backups', [method, args], { signal });
    signal?.throwIfAborted();
    return result as BackupResults[M];
  }
}
