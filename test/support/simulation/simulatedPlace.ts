import { SimulatedDisk } from '../simulatedDisk';
import { storeError } from '../../../src/store/engine/sqlFailure';
import type { SqlJsDatabase } from '../../../src/store/engine/sqlJsDatabase';
import { openDatabase } from '../../../src/store/open/openDatabase';
import { migrate } from '../../../src/store/schema/migrations';
import { createSessionDb, type SessionDb } from '../../../src/store/session/sessionDb';
import { perform } from '../../../src/store/session/sessionStore';
import { seededRandom } from '../seededRandom';
import { putEmptyStore } from '../emptyStore';
import type { SystemName } from '../simulatedSystem';
import { testSqlite } from '../sqlite';
import type { OpenedPlace, Place } from './place';

const folder = '/store';

/** The real store in this process, on a disk that keeps across a power cut only what was synced. */
export class SimulatedPlace implements Place {
  private constructor(private disk: SimulatedDisk) {}

  /** Begins with a store in which nothing was ever written. */
  static async create(system: SystemName = 'posix'): Promise<SimulatedPlace> {
    const disk = new SimulatedDisk({ system });
    await putEmptyStore(disk, folder);
    return new SimulatedPlace(disk);
  }

  async open(now: () => number): Promise<OpenedPlace> {
    const lock = { isHeld: true };
    const database = await openedDatabase(this.disk, now, () => {
      if (!lock.isHeld) throw storeError('replaced', 'simulated');
    });
    const db = sessionDb(database, now);
    db.recoverTurns();
    return {
      // An executor turns what the store throws into a rejection.
      call: (method, args) => new Promise((resolve) => resolve(perform(db, method, args))),
      isElsewhere: false,
      db,
      database,
      get changes() {
        return database.get('SELECT total_changes() AS n')?.['n'];
      },
      loseLock: () => void (lock.isHeld = false),
      close: async () => database.close(),
      abandon: async () => database.abandon(),
    };
  }

  powerCut(seed: number): void {
    this.disk = this.disk.powerCut(seededRandom(seed));
  }

  async remove(): Promise<void> {
    // The disk is garbage.
  }
}

export function sessionDb(database: SqlJsDatabase, now: () => number): SessionDb {
  return createSessionDb({ database, now, fileSizes: () => database.sizes() });
}

async function openedDatabase(disk: SimulatedDisk, now: () => number, assertOwned: () => void): Promise<SqlJsDatabase> {
  const { database } = openDatabase({
    sqlite: await testSqlite(),
    fileSystem: disk,
    folder,
    assertOwned,
    now,
  });
  migrate(database);
  return database;
}
