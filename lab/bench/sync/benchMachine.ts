import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/base/clock';
import { openLockedStore, type LockedStore } from '../../../src/features/commandLine/commands/lockedStore';
import { promisedSync, type AsyncSyncedStore } from '../../../src/store/syncing';
import type { SessionStore } from '../../../src/store/session/sessionStore';
import { compressedServer } from '../../../src/features/sync/core/compressedServer';
import { SyncRound } from '../../../src/features/sync/core/syncRound';
import type { SyncServer } from '../../../src/features/sync/core/syncServer';
import type { PostgresWorld } from '../../../test/support/postgres/postgresWorld';

/** Where the bench works. */
export interface SyncBenchPlace {
  readonly world: PostgresWorld;
  /** An empty folder. */
  readonly root: string;
  /** Folder with storeWorker.js and sql-wasm.wasm. */
  readonly programs: string;
}

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

  static async open(name: string, folder: string, programs: string): Promise<BenchMachine> {
    return new BenchMachine(name, await openLockedStore(folder, { clock: systemClock, programFolder: programs }));
  }

  round(server: SyncServer): SyncRound {
    return new SyncRound({
      store: this.synced,
      server: compressedServer(server),
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
