import { join } from 'node:path';
import type { Thread } from '../../../src/base/threads/channel';
import type { StoreThreadData } from '../../../src/host/start/compiledBundle';
import { startStoreWorker } from '../../../src/store/worker/storeClient';
import { buildStoreWorker, type BuiltStoreWorker } from '../storeWorker';

/** Threads of the store's worker, each for one life, as the product starts them: with the code that an earlier one compiled. To start one takes
 *  most of a life, so the next is always ready, whoever needs it. */
export class StoreThreads {
  private readonly data: StoreThreadData;
  private spare: Thread;

  private constructor(private readonly built: BuiltStoreWorker) {
    this.data = { compiledFolder: join(built.folder, 'compiled'), keepAfterMs: 500 };
    this.spare = this.started();
  }

  static async start(): Promise<StoreThreads> {
    return new StoreThreads(await buildStoreWorker({ storeThread: 'src/host/start/storeThread.ts' }));
  }

  /** A thread that nobody had before. */
  take(): Thread {
    const taken = this.spare;
    this.spare = this.started();
    return taken;
  }

  /** Ends the one that nobody took, and removes what they were built from. */
  async end(): Promise<void> {
    await this.spare.terminate();
    this.built.remove();
  }

  private started(): Thread {
    return startStoreWorker(join(this.built.folder, 'storeThread.js'), this.data);
  }
}
