import { systemClock } from '../../../src/base/clock';
import { createSessionDb, type SessionDb } from '../../../src/store/session/sessionDb';
import {
  perform,
  type MethodArguments,
  type MethodName,
  type MethodResults,
} from '../../../src/store/session/sessionStore';
import type { Durability } from './nativeSqlite';
import { NativeDatabase } from './nativeDatabase';

/** The store's own code over better-sqlite3. */
export class NativeSessions {
  readonly database: NativeDatabase;
  readonly operations: SessionDb;

  constructor(file: string, durability: Durability) {
    this.database = new NativeDatabase(file, durability);
    this.operations = createSessionDb({
      database: this.database,
      now: systemClock.now,
      fileSizes: () => ({ fileBytes: 0, logBytes: 0 }),
    });
  }

  /** Runs a method. The transaction that settles a turn also brings the search index up to date. */
  call<M extends MethodName>(method: M, args: MethodArguments[M]): MethodResults[M] {
    if (method !== 'settleTurn') return perform(this.operations, method, args);
    return this.database.asOne(() => {
      const value = perform(this.operations, method, args);
      this.index();
      return value;
    });
  }

  index(): void {
    while (this.operations.indexBatch(64) > 0);
  }
}
