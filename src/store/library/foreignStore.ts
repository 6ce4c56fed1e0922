import { t } from '../../base/translate';
import type { Sqlite } from '../engine/sqlite';
import type { SqlDatabase } from '../engine/sqlDatabase';
import { judgeOwner } from '../lock/processLookup';
import { readLock } from '../lock/lockRecord';
import { openDatabase } from '../open/openDatabase';
import { storeFiles } from '../open/storeFiles';
import { migrate } from '../schema/migrations';
import { createSessionDb } from '../session/sessionDb';
import { StoreError } from '../storeError';
import { type CopyDeps, copyStore, type StoreCopy } from './storeCopy';
import { isUntouched, stampOfStore } from './storeStamp';

export interface ReadingDeps extends CopyDeps {
  readonly sqlite: Sqlite;
}

/** Bytes of file and log. Above this, reading a store that is in use would take longer than it is worth. */
const mostCopiedToRead = 64 << 20;

/** True when a living process has the store open. A process that cannot be judged counts as living while its
 *  heartbeat continues. */
export function isInUse({ fileSystem, processes }: CopyDeps, folder: string): boolean {
  const found = readLock(fileSystem, storeFiles(folder).lock);
  if (found === undefined) return false;
  if (found.record === undefined) return true;
  return judgeOwner(found.record.owner, processes, Date.now() - found.modifiedAt).verdict === 'alive';
}

/** Returns the result of `read` on a store of another folder. A store that is not in use is read in place, and read
 *  again from a copy if another process wrote meanwhile; one in use is read from a copy. Writes nothing in that
 *  folder. Throws `StoreError`; `locked` when the store is in use and too large to copy for this purpose. */
export function readForeign<T>(deps: ReadingDeps, folder: string, read: (database: SqlDatabase) => T): T {
  if (!isInUse(deps, folder)) {
    const seen = readInPlace(deps, folder, read);
    if (seen !== null) return seen.value;
  }
  const { fileSystem } = deps;
  const { main, log } = storeFiles(folder);
  if ((fileSystem.stat(main)?.size ?? 0) + (fileSystem.stat(log)?.size ?? 0) > mostCopiedToRead) {
    throw new StoreError('locked', t('Your sessions are open in another window.'), `${folder} is in use and large`);
  }
  const copy = copyStore(deps, folder);
  try {
    return readOnly(deps, copy.folder, read);
  } finally {
    copy.remove();
  }
}

/** Makes a private copy that all code of this version can read: migrated to the newest schema, with its log
 *  checkpointed into its file. */
export function currentCopy(deps: ReadingDeps, folder: string): StoreCopy {
  return broughtUpToDate(deps, copyStore(deps, folder));
}

/** Rows that were read from a damaged file. */
export interface SalvagedCopy {
  readonly sessions: number;
  readonly messages: number;
}

/** Returns the result of `work` on a private copy of the newest schema. If the file is damaged, `work` runs on a new
 *  file with everything that can be read of it, and is told so. Writes nothing in the store's folder. */
export async function onReadableCopy<T>(
  deps: ReadingDeps,
  makeCopy: () => StoreCopy,
  work: (folder: string, salvaged: SalvagedCopy | null) => Promise<T>,
): Promise<T> {
  const copy = makeCopy();
  try {
    try {
      readOnly(deps, copy.folder, () => undefined);
      bringUpToDate(deps, copy.folder);
      return await work(copy.folder, null);
    } catch (error) {
      if (!(error instanceof StoreError) || error.causeClass !== 'corrupt') throw error;
      return await work(copy.folder, bringUpToDate(deps, copy.folder, true));
    }
  } finally {
    copy.remove();
  }
}

/** Migrates a private copy to the newest schema, and checkpoints its log into its file. Removes it when that fails. */
export function broughtUpToDate(deps: ReadingDeps, copy: StoreCopy): StoreCopy {
  try {
    // Reads the copy unchanged first: `openDatabase` would replace a damaged file with an empty one.
    readOnly(deps, copy.folder, () => undefined);
    bringUpToDate(deps, copy.folder);
    return copy;
  } catch (error) {
    copy.remove();
    throw error;
  }
}

/** `salvages`: the file is damaged; what can be read of it goes into a new one. */
function bringUpToDate(deps: ReadingDeps, folder: string, salvages = false): SalvagedCopy {
  const damage = { knownDamaged: salvages, keepsDamaged: !salvages };
  const { database, damagedCopies } = openDatabase({ ...deps, ...damage, folder });
  try {
    migrate(database);
    const store = createSessionDb({ database, now: deps.now, fileSizes: () => database.sizes() });
    const found = damagedCopies.map((damaged) => damaged.salvage((rows) => store.mergeFrom(rows)).result);
    return {
      sessions: found.reduce((sum, { sessions }) => sum + sessions, 0),
      messages: found.reduce((sum, { messages }) => sum + messages, 0),
    };
  } finally {
    database.close();
  }
}

/** Null when another process wrote meanwhile: the result, or the error, may mix two moments. */
function readInPlace<T>(
  deps: ReadingDeps,
  folder: string,
  read: (database: SqlDatabase) => T,
): { readonly value: T } | null {
  const files = storeFiles(folder);
  const before = stampOfStore(deps.fileSystem, files);
  const unchanged = (): boolean => !isInUse(deps, folder) && isUntouched(before, stampOfStore(deps.fileSystem, files));
  try {
    const value = readOnly(deps, folder, read);
    return unchanged() ? { value } : null;
  } catch (error) {
    if (!unchanged()) return null;
    throw error;
  }
}

/** Reads a copy, or a store that no process uses. */
export function readOnly<T>(deps: ReadingDeps, folder: string, read: (database: SqlDatabase) => T): T {
  const { database } = openDatabase({ ...deps, folder, readOnly: true });
  try {
    return database.readTransaction(() => read(database));
  } finally {
    database.abandon();
  }
}
