import type { Sqlite } from '../engine/sqlite';
import type { SqlDatabase } from '../engine/sqlDatabase';
import { judgeOwner } from '../lock/judgeOwner';
import { readLock } from '../lock/lockFile';
import { openDatabase } from '../open/openDatabase';
import { storeFiles } from '../open/storeFiles';
import { migrate, schemaVersion } from '../schema/migrations';
import { StoreError } from '../storeError';
import { type CopyNeeds, copyStore, type StoreCopy } from './storeCopy';
import { isUntouched, stampOfStore } from './storeStamp';

export interface ReadingNeeds extends CopyNeeds {
  readonly sqlite: Sqlite;
}

/** Above this, looking into a store that is in use would take longer than it is worth. In bytes of file and log. */
export const mostCopiedToLook = 64 << 20;

/** Whether a living process has the store open. One whose life cannot be judged counts as living while it beats. */
export function isInUse({ fileSystem, processes }: CopyNeeds, folder: string): boolean {
  const found = readLock(fileSystem, storeFiles(folder).lock);
  if (found === undefined) return false;
  if (found.record === undefined) return true;
  return judgeOwner(found.record.owner, processes, Date.now() - found.modifiedAt).verdict === 'alive';
}

/** What `read` makes of a store of somebody else. One that nobody uses is read where it lies, and read again from a copy when somebody began to
 *  write meanwhile; one in use is read from a copy. Nothing is written where it lies. Throws `StoreError`; `locked` when it is in use and too
 *  large to be copied for a look. */
export function readForeign<T>(needs: ReadingNeeds, folder: string, read: (database: SqlDatabase) => T): T {
  if (!isInUse(needs, folder)) {
    const seen = readInPlace(needs, folder, read);
    if (seen !== null) return seen.value;
  }
  const { fileSystem } = needs;
  const { main, log } = storeFiles(folder);
  if ((fileSystem.stat(main)?.size ?? 0) + (fileSystem.stat(log)?.size ?? 0) > mostCopiedToLook) {
    throw new StoreError('locked', 'These sessions are open in another window.', `${folder} is in use and large`);
  }
  const copy = copyStore(needs, folder);
  try {
    return readOnly(needs, copy.folder, read);
  } finally {
    copy.remove();
  }
}

/** A private copy that every room of this version can read: brought to the newest schema, and its log carried over into its file. */
export function currentCopy(needs: ReadingNeeds, folder: string): StoreCopy {
  const copy = copyStore(needs, folder);
  try {
    const { sqlite, fileSystem, now } = needs;
    // Looked at first as it is: a damaged file would be set aside for an empty one.
    readOnly(needs, copy.folder, () => undefined);
    const { database } = openDatabase({
      sqlite,
      fileSystem,
      now,
      folder: copy.folder,
      schemaVersion,
      assertOwned: () => undefined,
    });
    try {
      migrate(database, { keepCopy: () => undefined });
    } finally {
      database.close();
    }
    return copy;
  } catch (error) {
    copy.remove();
    throw error;
  }
}

/** Null when somebody wrote meanwhile: what was read, or why it could not be, may be of two moments. */
function readInPlace<T>(
  needs: ReadingNeeds,
  folder: string,
  read: (database: SqlDatabase) => T,
): { readonly value: T } | null {
  const files = storeFiles(folder);
  const before = stampOfStore(needs.fileSystem, files);
  const unchanged = (): boolean =>
    !isInUse(needs, folder) && isUntouched(before, stampOfStore(needs.fileSystem, files));
  try {
    const value = readOnly(needs, folder, read);
    return unchanged() ? { value } : null;
  } catch (error) {
    if (!unchanged()) return null;
    throw error;
  }
}

/** Of a copy, or of a store that nobody uses. */
export function readOnly<T>(
  { sqlite, fileSystem, now }: ReadingNeeds,
  folder: string,
  read: (database: SqlDatabase) => T,
): T {
  const { database } = openDatabase({
    sqlite,
    fileSystem,
    now,
    folder,
    schemaVersion,
    assertOwned: () => undefined,
    readOnly: true,
  });
  try {
    return database.readTransaction(() => read(database));
  } finally {
    database.abandon();
  }
}
