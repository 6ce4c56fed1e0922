import { readdir } from 'node:fs/promises';
import { CalledThread, type ArgumentsOf } from '../../../base/threads/calledThread';
import { startThread } from '../../../base/threads/channel';
import { t } from '../../../base/translate';
import type { Clock } from '../../../base/clock';
import type { SessionSummary } from '../../../transcript/session';
import { StoreError, storeErrors } from '../../../store/storeError';
import type { TakenCopy } from '../../../store/library/library';
import type { LibraryMethods } from './libraryWorker';
import type { OtherStore, StoreLocations } from '../../../store/library/otherStore';

/** Milliseconds without a request and without a copy in use, after which the thread ends. */
const idleMs = 30_000;

/** Client of the library: a thread that runs only while it is needed. Every method rejects with a `StoreError`. */
export class LibraryClient {
  private readonly thread: CalledThread<LibraryMethods>;
  private readonly taken = new Set<string>();
  private cancelIdle: () => void = () => undefined;

  /** `entry`: path of `dist/libraryWorker.js`. `copies`: folder used only for its private copies. */
  constructor(
    entry: string,
    private readonly copies: string,
    private readonly clock: Clock,
  ) {
    this.thread = new CalledThread<LibraryMethods>({
      start: () => startThread(entry, { name: 'hermes-library', data: { copies } }),
      errors: storeErrors,
      ended: (technical) =>
        new StoreError('unknown', t('Sessions of other folders couldn’t be read. Try again.'), technical),
      onExit: () => this.taken.clear(),
      // A closing window does not wait for the thread.
      isBackground: true,
    });
  }

  survey(locations: StoreLocations, since: number): Promise<readonly OtherStore[]> {
    return this.ask('survey', [locations, since]);
  }

  listSessions(folder: string, limit: number): Promise<readonly SessionSummary[]> {
    return this.ask('listSessions', [folder, limit]);
  }

  async takeCopy(folder: string, conversationOf: string | null): Promise<TakenCopy> {
    const copy = await this.ask('takeCopy', [folder, conversationOf]);
    this.taken.add(copy.folder);
    return copy;
  }

  async removeCopy(folder: string): Promise<void> {
    await this.ask('removeCopy', [folder]);
    this.taken.delete(folder);
    this.awaitIdle();
  }

  /** Removes files that an earlier process left: copies of sessions that the user may since have deleted for good.
   *  Starts no thread when there are none. */
  async sweep(): Promise<void> {
    const left = await readdir(this.copies).catch(() => []);
    if (left.length > 0) await this.ask('sweep', []);
  }

  /** Removes all copies and ends the thread. */
  async close(): Promise<void> {
    this.cancelIdle();
    await Promise.all([...this.taken].map((folder) => this.removeCopy(folder).catch(() => undefined)));
    await this.thread.end();
  }

  private async ask<M extends keyof LibraryMethods>(
    method: M,
    args: ArgumentsOf<LibraryMethods, M>,
  ): Promise<Awaited<ReturnType<LibraryMethods[M]>>> {
    this.cancelIdle();
    try {
      return await this.thread.call(method, args);
    } finally {
      this.awaitIdle();
    }
  }

  /** Ends the thread when it is idle. The thread holds the copies, so it stays while there are any. */
  private awaitIdle(): void {
    this.cancelIdle();
    if (this.thread.isBusy || this.taken.size > 0) return;
    this.cancelIdle = this.clock.after(idleMs, () => void this.thread.end());
  }
}
