import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { NodeFileSystem } from '../../src/store/engine/nodeFileSystem';
import type { SqlDatabase } from '../../src/store/engine/sqlDatabase';
import { openDatabase } from '../../src/store/open/openDatabase';
import { storeFiles } from '../../src/store/open/storeFiles';
import { migrate } from '../../src/store/schema/migrations';
import { createSessionDb, type SessionDb } from '../../src/store/session/sessionDb';
import { storeUidKey } from '../../src/store/session/tables/storeUid';
import type { SessionStore } from '../../src/store/session/sessionStore';
import { perform, promisedOperations, type CallMethod } from '../../src/store/session/sessionStore';
import { emptyStore } from './emptyStore';
import { testSqlite } from './sqlite';

export interface WorldStore {
  readonly call: CallMethod;
  readonly store: SessionStore;
  readonly db: SessionDb;
  /** Underneath: what another hand could do to the file. */
  readonly database: SqlDatabase;
  /** Before every call of the store: a test may throw here, as a full disk would. */
  beforeCall: (method: string) => void;
  /** A call whose method is given a promise waits for it, before or after its work. */
  waitBefore: (method: string) => Promise<void> | null;
  waitAfter: (method: string) => Promise<void> | null;
  /** After a call has done its work: a test may throw here, as a disk does that cannot say whether it wrote. */
  afterCall: (method: string) => void;
}

/** The real store on a real folder, in this process and without the worker, so that a test is quick and can break it from inside.
 *  `recovers` false: turns of processes that are gone stay as they are. */
export async function openWorldStore(folder: string, now: () => number, recovers = true): Promise<WorldStore> {
  const sqlite = await testSqlite();
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(storeFiles(folder).main, await emptyStore(), { mode: 0o600 });
  }
  const { database } = openDatabase({
    sqlite,
    fileSystem: new NodeFileSystem(),
    folder,
    now,
  });
  migrate(database);
  const db = createSessionDb({ database, now, fileSizes: () => sizes(folder) });
  if (db.getMeta(storeUidKey) === null) db.setMeta(storeUidKey, randomUUID());
  if (recovers) db.recoverTurns();
  const call: CallMethod = async (method, args) => {
    const waiting = opened.waitBefore(method);
    if (waiting !== null) await waiting;
    opened.beforeCall(method);
    const result = perform(db, method, args);
    opened.afterCall(method);
    const held = opened.waitAfter(method);
    if (held !== null) await held;
    return result;
  };
  const opened: WorldStore = {
    db,
    database,
    beforeCall: () => undefined,
    waitBefore: () => null,
    waitAfter: () => null,
    afterCall: () => undefined,
    call,
    store: { ...promisedOperations(call), close: async () => database.close() },
  };
  return opened;
}

function sizes(folder: string): { fileBytes: number; logBytes: number } {
  const size = (ending: string): number =>
    readdirSync(folder)
      .filter((name) => name.endsWith(ending))
      .reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  return { fileBytes: size('.db'), logBytes: size('.wal') };
}
