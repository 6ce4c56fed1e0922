import { basename, join } from 'node:path';
import { t } from '../../base/translate';
import type { SqlDatabase } from '../engine/sqlDatabase';
import { readInteger, readText, readTime } from '../session/tables/columns';
import { SessionList } from '../session/queries/sessionList';
import { schemaVersion } from '../schema/migrations';
import { storeUidKey } from '../session/tables/storeUid';
import { StoreError } from '../storeError';
import type { SessionSummary } from '../../transcript/session';
import { decodeLabel, type FolderLabel, folderLabelKey } from './folderLabel';
import { currentCopy, isInUse, readForeign, readOnly, type ReadingDeps } from './foreignStore';
import type { OtherStore, StoreLocations } from './otherStore';
import { sweepCopies, type StoreCopy } from './storeCopy';
import { errnoOf, namesIn, type FileSystem } from '../engine/fileSystem';
import { storeFiles } from '../open/storeFiles';

/** Maximum number of stores to look into, the most recently used first. */
const mostStores = 300;

/** A copy of a store, to open for reading only, or to import from. */
export interface TakenCopy {
  /** Folder of the copy. A store of the newest schema whose log is empty. */
  readonly folder: string;
  /** The requested sessions: all of the store, or those of one conversation and its sub-agents. Parents before their
   *  children. */
  readonly sessionIds: readonly string[];
  /** True when another window had the store open. */
  readonly inUse: boolean;
  /** One of these sessions that had a running or waiting turn there; null when there was none. */
  readonly answering: string | null;
}

/** The stores of other folders, which it reads without changing them. Every method may throw a `StoreError`. */
export class Library {
  private readonly taken = new Map<string, StoreCopy>();
  private swept = false;

  constructor(private readonly deps: ReadingDeps) {}

  /** Lists the other stores whose files were written at `since` or later, in seconds since the epoch, most recently
   *  used first. A store that cannot be read is an entry that says so. */
  survey(locations: StoreLocations, since: number): readonly OtherStore[] {
    const { fileSystem } = this.deps;
    const stores = otherStoreFolders(fileSystem, locations, since)
      .slice(0, mostStores)
      .flatMap((folder) => this.inspect(folder) ?? []);
    return stores.sort((one, other) => other.lastActiveAt - one.lastActiveAt);
  }

  /** Lists active sessions, newest activity first, at most `limit`. */
  listSessions(folder: string, limit: number): readonly SessionSummary[] {
    return this.withCurrent(folder, (database) => new SessionList(database).list({ limit }));
  }

  /** `conversationOf`: a session id, to request only its conversation; null for all sessions. */
  takeCopy(folder: string, conversationOf: string | null): TakenCopy {
    this.sweep();
    const inUse = isInUse(this.deps, folder);
    const copy = currentCopy(this.deps, folder);
    try {
      const { sessionIds, answering } = readOnly(this.deps, copy.folder, (database) =>
        sessionsOf(database, conversationOf),
      );
      if (sessionIds.length === 0 && conversationOf !== null)
        throw new StoreError('not-found', t('This session no longer exists.'), `${conversationOf} is not in ${folder}`);
      this.taken.set(copy.folder, copy);
      return { folder: copy.folder, sessionIds, inUse, answering: inUse ? answering : null };
    } catch (error) {
      copy.remove();
      throw error;
    }
  }

  removeCopy(folder: string): void {
    this.taken.get(folder)?.remove();
    this.taken.delete(folder);
  }

  /** Removes copies left by processes that are gone. */
  sweep(): void {
    if (this.swept) return;
    this.swept = true;
    sweepCopies(this.deps);
  }

  /** Null for a file that is not one of our stores. */
  private inspect(folder: string): OtherStore | null {
    this.sweep();
    const inUse = isInUse(this.deps, folder);
    const writtenAt = (lastWritten(this.deps.fileSystem, folder) ?? 0) / 1000;
    try {
      const shelf = readForeign(this.deps, folder, shelfOf);
      return { folder, inUse, problem: null, ...shelf, lastActiveAt: shelf.lastActiveAt ?? writtenAt };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.causeClass === 'not-found' || /application_id/.test(error.technical)) return null;
      return {
        folder,
        uid: null,
        label: null,
        sessions: 0,
        lastActiveAt: writtenAt,
        inUse,
        problem: problemText(error),
      };
    }
  }

  /** Reads a store in the newest schema, from a migrated copy where necessary. */
  private withCurrent<T>(folder: string, read: (database: SqlDatabase) => T): T {
    const isCurrent = (database: SqlDatabase): boolean =>
      readInteger(database.get('PRAGMA user_version') ?? {}, 'user_version', 0) === schemaVersion;
    const found = readForeign(this.deps, folder, (database) =>
      isCurrent(database) ? { value: read(database) } : null,
    );
    if (found !== null) return found.value;
    const copy = currentCopy(this.deps, folder);
    try {
      return readOnly(this.deps, copy.folder, read);
    } finally {
      copy.remove();
    }
  }
}

/** Reads only tables and columns that every version of the schema has. */
function shelfOf(
  database: SqlDatabase,
): Pick<OtherStore, 'uid' | 'label' | 'sessions'> & { readonly lastActiveAt: number | null } {
  const meta = (key: string): string | null =>
    readText(database.get('SELECT value FROM state_meta WHERE key = ?', [key]) ?? {}, 'value', null);
  const row =
    database.get(`
    SELECT count(DISTINCT conversation_id) AS sessions, max(last_activity_at) AS last FROM sessions s
    WHERE trashed_at IS NULL AND parent_kind IS NOT 'delegate'
    AND EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)`) ?? {};
  return {
    uid: meta(storeUidKey),
    label: decodeLabel(meta(folderLabelKey)) ?? labelOfSessions(database),
    sessions: readInteger(row, 'sessions', 0),
    lastActiveAt: readTime(row, 'last', null),
  };
}

/** Derives a label from the newest session's folder, for a store that was last opened before stores had labels. */
function labelOfSessions(database: SqlDatabase): FolderLabel | null {
  const path = readText(
    database.get('SELECT cwd FROM sessions WHERE cwd IS NOT NULL ORDER BY last_activity_at DESC LIMIT 1') ?? {},
    'cwd',
    null,
  );
  return path === null
    ? null
    : { version: 1, kind: 'folder', path, name: basename(path), place: null, git: null, roots: [] };
}

/** Sessions to import from a store: all, or one conversation with its sub-agents. Parents before their children. */
export function sessionsOf(
  database: SqlDatabase,
  conversationOf: string | null,
): { readonly sessionIds: readonly string[]; readonly answering: string | null } {
  const rows =
    conversationOf === null
      ? database.all('SELECT id FROM sessions ORDER BY started_at, rowid')
      : database.all(
          `WITH RECURSIVE named (id) AS (
           SELECT id FROM sessions WHERE conversation_id = (SELECT conversation_id FROM sessions WHERE id = ?)
           UNION SELECT s.id FROM named
           JOIN sessions s ON s.parent_session_id = named.id AND s.parent_kind IN ('delegate', 'compression')
         ) SELECT s.id FROM named JOIN sessions s ON s.id = named.id ORDER BY s.started_at, s.rowid`,
          [conversationOf],
        );
  const sessionIds = rows.flatMap((row) => readText(row, 'id', null) ?? []);
  const open = database.get(
    "SELECT session_id FROM turns WHERE state <> 'settled' AND session_id IN (SELECT value FROM json_each(?)) LIMIT 1",
    [JSON.stringify(sessionIds)],
  );
  return { sessionIds, answering: open === undefined ? null : readText(open, 'session_id', null) };
}

/** Error texts for another folder's store: the standard sentences refer to this window's own file. */
export function problemText(error: StoreError): string {
  switch (error.causeClass) {
    case 'corrupt':
      return t(
        'The file of these sessions is damaged. Open the folder it belongs to, and everything readable in it is saved.',
      );
    case 'newer':
      return t('These sessions were saved by a newer version of Hermes.');
    case 'locked':
      return error.message;
    default:
      return t('These sessions couldn’t be read.');
  }
}

/** Lists folders with another store that was written since then (seconds), the most recently written first. */
function otherStoreFolders(
  fileSystem: FileSystem,
  { workspaces, shelves, own }: StoreLocations,
  since: number,
): readonly string[] {
  const folders = new Set([
    ...workspaces.flatMap(({ root, extension }) =>
      namesIn(fileSystem, root).map((name) => join(root, name, extension)),
    ),
    ...shelves.flatMap((shelf) => namesIn(fileSystem, shelf).map((name) => join(shelf, name))),
  ]);
  return [...folders]
    .filter((folder) => folder !== own)
    .map((folder) => ({ folder, writtenAt: lastWritten(fileSystem, folder) }))
    .filter(({ writtenAt }) => writtenAt !== null && writtenAt >= since * 1000)
    .sort((one, other) => (other.writtenAt ?? 0) - (one.writtenAt ?? 0))
    .map(({ folder }) => folder);
}

/** Time of the last write to a store, in milliseconds since 1970; null when there is no store. */
function lastWritten(fileSystem: FileSystem, folder: string): number | null {
  const { main, log } = storeFiles(folder);
  try {
    const stat = fileSystem.stat(main);
    if (stat?.kind !== 'file') return null;
    return Math.max(stat.modifiedAt, fileSystem.stat(log)?.modifiedAt ?? 0);
  } catch (error) {
    // A place without read permission is not ours.
    if (['EACCES', 'EPERM', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error))) return null;
    throw error;
  }
}
