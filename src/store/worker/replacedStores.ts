import { dirname } from 'node:path';
import { errnoOf } from '../engine/fileSystem';
import { SqlJsDatabase } from '../engine/sqlJsDatabase';
import { configure } from '../open/configure';
import { readableRows } from '../open/damagedCopy';
import { replacedFiles, retire } from '../open/replacedFiles';
import { logOf } from '../open/storeFiles';
import { joinedStoreKey, storeUidKey } from '../session/tables/storeUid';
import type { SessionDb } from '../session/sessionDb';
import { StoreError } from '../storeError';
import type { StoreEngine } from '../engine/sqlite';

/** A copy of a store, beside the file that replaced it: its sessions may be brought back. */
export interface ReplacedStore {
  readonly path: string;
  /** The reason why its sessions could not be brought back just now; null when that was not tried. */
  readonly problem: string | null;
}

/** Sessions that were brought back from such a copy. */
export interface BroughtBack {
  /** Path of the copy. */
  readonly path: string;
  readonly sessions: number;
  readonly messages: number;
  /** False when something in it could not be read. */
  readonly complete: boolean;
}

/** Finds the copies of a store whose file was replaced by another, and imports their sessions if the user asked for
 *  that. After a crash in between, the import, which goes by identity, is simply repeated. */
export function replacedStores(
  engine: StoreEngine,
  sessions: SessionDb,
  folders: readonly string[],
  bringBack: boolean,
): { readonly replaced: readonly ReplacedStore[]; readonly broughtBack: readonly BroughtBack[] } {
  const replaced: ReplacedStore[] = [];
  const broughtBack: BroughtBack[] = [];
  for (const path of replacedFiles(engine.fileSystem, folders)) {
    try {
      if (bringBack) broughtBack.push(bringBackFrom(engine, sessions, path));
      else replaced.push({ path, problem: null });
    } catch (error) {
      const problem = error instanceof StoreError ? error.technical : errnoOf(error);
      if (problem === 'EUNKNOWN') throw error;
      replaced.push({ path, problem });
    }
  }
  return { replaced, broughtBack };
}

function bringBackFrom({ sqlite, fileSystem, now }: StoreEngine, sessions: SessionDb, path: string): BroughtBack {
  const connection = sqlite.connect({
    fileSystem,
    folder: dirname(path),
    mainPath: path,
    logPath: logOf(path),
    readOnly: true,
  });
  const database = new SqlJsDatabase(connection, () => undefined);
  let complete = true;
  try {
    configure(database, true);
    const rows = function* (table: string) {
      complete = (yield* readableRows(database, table)) && complete;
    };
    const uid = database.get('SELECT value FROM state_meta WHERE key = ?', [storeUidKey])?.['value'];
    const report = sessions.mergeFrom({ rows });
    // An answer of that store, which an earlier build kept in a file, now belongs to this one.
    if (typeof uid === 'string') sessions.setMeta(joinedStoreKey(uid), '1');
    return {
      path: retire(fileSystem, path, 'merged', now()),
      sessions: report.sessions,
      messages: report.messages + report.extended,
      complete,
    };
  } finally {
    database.abandon();
  }
}
