import type { Disposable } from '../../../base/disposable';
import type { LibraryClient } from '../core/libraryClient';
import type { SessionStore } from '../../../store/session/sessionStore';
import { promisedOperations } from '../../../store/session/sessionStore';
import type { Thread } from '../../../base/threads/channel';
import { StoreClient, type RunningStore } from '../../../store/worker/storeClient';

/** Private copy of another folder's store, from the time it was opened. Read it, then close it. */
export interface OpenCopy {
  readonly store: Omit<SessionStore, 'close'>;
  close(): void;
}

interface Shared {
  readonly opening: Promise<{ readonly running: RunningStore; readonly copy: string }>;
  readers: number;
}

/** Private copies of other folders' stores, open for reading: one per folder, while it has readers. */
export class OpenCopies implements Disposable {
  private readonly shared = new Map<string, Shared>();

  constructor(
    private readonly library: Pick<LibraryClient, 'takeCopy' | 'removeCopy'>,
    private readonly startWorker: () => Thread,
  ) {}

  /** Throws `StoreError` when the last values cannot be read. */
  async open(folder: string): Promise<OpenCopy> {
    const shared = this.shared.get(folder) ?? this.share(folder);
    shared.readers++;
    let isOpen = true;
    const close = (): void => {
      if (isOpen && --shared.readers === 0) this.end(folder, shared);
      isOpen = false;
    };
    try {
      const { running } = await shared.opening;
      return { store: promisedOperations(running.call), close };
    } catch (error) {
      close();
      throw error;
    }
  }

  dispose(): void {
    for (const [folder, shared] of this.shared) this.end(folder, shared);
  }

  private share(folder: string): Shared {
    const shared: Shared = { opening: this.openCopy(folder), readers: 0 };
    this.shared.set(folder, shared);
    return shared;
  }

  private async openCopy(folder: string): Promise<{ readonly running: RunningStore; readonly copy: string }> {
    const { folder: copy } = await this.library.takeCopy(folder, null);
    try {
      const client = new StoreClient(this.startWorker());
      await client.open({ folder: copy, fence: null, salvage: false });
      return { running: client.store, copy };
    } catch (error) {
      await this.library.removeCopy(copy);
      throw error;
    }
  }

  /** Closes and removes a copy. If that fails, a later process removes the leftovers when it sweeps: at its start or
   *  with its next copy. */
  private end(folder: string, shared: Shared): void {
    if (this.shared.get(folder) === shared) this.shared.delete(folder);
    shared.opening
      .then(async ({ running, copy }) => {
        await running.close();
        await this.library.removeCopy(copy);
      })
      .catch(() => undefined);
  }
}
