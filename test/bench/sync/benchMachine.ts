import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/base/clock';
import { openLockedStore, type LockedStore } from '../../../src/commandLine/lockedStore';
import { promisedSync, type AsyncSyncedStore } from '../../../src/store/syncing';
import type { SessionStore } from '../../../src/store/sessionStore';
import { packedServer } from '../../../src/sync/packedServer';
import { SyncRound } from '../../../src/sync/syncRound';
import type { SyncServer } from '../../../src/sync/syncServer';

/** A store as a window has it open: in a thread of its own. */
export class BenchMachine {
  readonly store: SessionStore;
  readonly synced: AsyncSyncedStore;

  private constructor(
    readonly name: string,
    private readonly opened: LockedStore,
  ) {
    this.store = opened.store;
    this.synced = promisedSync((call) => opened.store.sync(call));
  }

  /** `bundles`: folder with storeWorker.js and sql-wasm.wasm. */
  static async open(name: string, folder: string, bundles: string): Promise<BenchMachine> {
    return new BenchMachine(name, await openLockedStore(folder, { clock: systemClock, programFolder: bundles }));
  }

  round(server: SyncServer): SyncRound {
    return new SyncRound({
      store: this.synced,
      server: packedServer(server),
      origin: this.name,
      machine: this.name,
      newId: randomUUID,
      fenceOf: () => null,
    });
  }

  async messages(): Promise<number> {
    return (await this.store.statistics()).messages;
  }

  close(): Promise<void> {
    return this.opened.close();
  }
}
