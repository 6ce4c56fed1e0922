import { randomUUID } from 'node:crypto';
import { t } from '../../base/translate';
import { type FileSystem, copyFile, errnoOf, replaceFile } from '../engine/fileSystem';
import { currentCopy } from '../library/foreignStore';
import { blockThread } from '../engine/nodeFileSystem';
import { assertFence } from '../lock/heldLock';
import { SystemProcessTable } from '../lock/processLookup';
import { type DamagedCopy, readableRows } from '../open/damagedCopy';
import { openDatabase, type DatabaseReport, type OpenDatabaseOptions, type OpenedDatabase } from '../open/openDatabase';
import { rescueFolderIn, replacedFiles, retire } from '../open/replacedFiles';
import { storeFiles, logOf } from '../open/storeFiles';
import { migrate, schemaVersion } from '../schema/migrations';
import type { OtherDatabase } from '../session/import/copyToThisFolder';
import { createSessionDb, type SessionDb } from '../session/sessionDb';
import { fileCheck } from '../session/queries/integrity';
import { storeUidKey, joinedStoreKey } from '../session/tables/storeUid';
import type { SlicedMethods, SessionOperations } from '../session/sessionStore';
import type { SlicedWork } from '../slicedWork';
import { readableOnly, storeError, diskError } from '../engine/sqlFailure';
import { reviveStoreError, StoreError, storeErrorData, type StoreErrorData } from '../storeError';
import { takeInEarlierSpills, type FoundSpill } from './earlierSpills';
import type { StoreEngine } from '../engine/sqlite';
import { join, dirname } from 'node:path';
import type { SqlDatabase } from '../engine/sqlDatabase';
import { openToRead } from '../open/configure';

/** Keeps `state.version-<n>.db`, a complete copy of the current database, before a migration that rewrites content
 *  the user has seen. Durable when it returns. An existing copy is from an earlier attempt at the same migration,
 *  made from the same rows, and is replaced. */
function keepCopy(fileSystem: FileSystem, database: SqlDatabase, folder: string, version: number): void {
  database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  const target = join(folder, `state.version-${version}.db`);
  try {
    const { main } = storeFiles(folder);
    replaceFile(fileSystem, target, (unfinished) => copyFile(fileSystem, main, unfinished, true));
  } catch (error) {
    throw diskError('copy the store to', target, errnoOf(error));
  }
}

/** The store to open, and the conditions. Plain data: it is sent to the worker. */
export interface StorePlace {
  readonly folder: string;
  /** Fence of the lock that this process holds, checked before every acknowledgement; null opens for reading only. */
  readonly fence: string | null;
  /** True when the file was found damaged while in use: set it aside and salvage its readable rows. */
  readonly salvage: boolean;
  /** To read a private copy, made in the folder `copies`, of a store that another process holds. `error`: the answer to
   *  every write. */
  readonly snapshot?: { readonly copies: string; readonly error: StoreErrorData };
  /** True to throw `corrupt` for a damaged file instead of repairing it. The whole file is read for that, before
   *  anything is written. Default: false. */
  readonly keepsDamaged?: boolean;
  /** Folders of this machine that may hold files of this store and of others. Default: none are searched. */
  readonly sharedFolders?: readonly string[];
  /** Turns of this process, which must not be settled as those of a dead one. Default: none. */
  readonly liveTurns?: readonly string[];
  /** True to bring back the sessions of copies of a store whose file was replaced by another, instead of only
   *  listing them in the report. */
  readonly bringsBack?: boolean;
}

/** Result of opening, for the panel to report. Plain data. */
export interface OpenReport extends Omit<DatabaseReport, 'userVersion' | 'readOnly'> {
  /** Turns that a dead process had left running, now settled with stop reason `crash`. */
  readonly recoveredTurns: readonly { readonly sessionId: string; readonly turnUid: string }[];
  /** Data salvaged from damaged files, one entry for each file. */
  readonly salvaged: readonly Salvage[];
  /** Copies of a store whose file was replaced by another; `broughtBack` lists those whose sessions were brought
   *  back. */
  readonly replaced: readonly ReplacedStore[];
  readonly broughtBack: readonly BroughtBack[];
  /** Answers that an earlier build could not store and kept in files of their own. */
  readonly spills: readonly FoundSpill[];
  /** The reason why nothing can be saved; null when the store is open for writing. */
  readonly readOnly: StoreErrorData | null;
}

interface Salvage {
  /** Path of the damaged file. */
  readonly path: string;
  readonly sessions: number;
  readonly messages: number;
  /** False when something in it could not be read or stored. */
  readonly complete: boolean;
}

/** A store that was found, checked, migrated and recovered; one thread serves it. */
export interface OpenedStore {
  readonly operations: SessionOperations;
  readonly report: OpenReport;
  /** Operations that may take long, in slices. */
  readonly slices: Partial<SlicedMethods>;
  /** Housekeeping for idle moments: deletes rows that long operations left. */
  tidySlices(): SlicedWork<void>;
  /** True when a failed call left the database in a state in which no further write can succeed. */
  mustReopen(): boolean;
  close(): void;
}

/** Opens the store of a folder whose lock the caller holds. Checks the file, migrates the schema, imports damaged
 *  files, and settles turns of a dead process. If the file turns out to be damaged, it is set aside and
 *  salvaged; if a full disk prevents the migration, the store opens for reading. Synchronous. Throws a `StoreError`. */
export function openSessionStore(engine: StoreEngine, place: StorePlace): OpenedStore {
  if (place.snapshot !== undefined) return openSnapshot(engine, place.folder, place.snapshot);
  try {
    return openAs(engine, place, {});
  } catch (error) {
    if (!(error instanceof StoreError) || place.fence === null) throw error;
    if (error.causeClass === 'corrupt' && !place.salvage && place.keepsDamaged !== true)
      return openSessionStore(engine, { ...place, salvage: true });
    if (error.causeClass === 'full') return openReadable(engine, place, error);
    throw error;
  }
}

function openAs(
  engine: StoreEngine,
  place: StorePlace,
  only: Pick<OpenDatabaseOptions, 'readOnly' | 'obstacle'>,
): OpenedStore {
  const opened = openDatabase({
    ...engine,
    folder: place.folder,
    assertOwned: ownershipCheck(engine.fileSystem, place),
    readOnly: place.fence === null,
    knownDamaged: place.salvage,
    keepsDamaged: place.keepsDamaged === true,
    rescueFolders: rescueFoldersOf(place),
    ...only,
  });
  try {
    return opened.report.readOnly ? readOnlyStore(engine, opened) : writableStore(engine, place, opened);
  } catch (error) {
    opened.database.abandon();
    throw error;
  }
}

/** Reads the store as of this moment, beside its owner. */
function openSnapshot(
  engine: StoreEngine,
  folder: string,
  { copies, error }: NonNullable<StorePlace['snapshot']>,
): OpenedStore {
  const processes = new SystemProcessTable();
  const copy = currentCopy({ ...engine, copies, processes, pause: blockThread }, folder);
  try {
    const store = openAs(
      engine,
      { folder: copy.folder, fence: null, salvage: false },
      { readOnly: true, obstacle: reviveStoreError(error) },
    );
    const close = (): void => {
      store.close();
      copy.remove();
    };
    return { ...store, close, report: { ...store.report, path: storeFiles(folder).main } };
  } catch (failure) {
    copy.remove();
    throw failure;
  }
}

/** Opens for reading on a full disk. If that fails too, throws the error of the full disk. */
function openReadable(engine: StoreEngine, place: StorePlace, full: StoreError): OpenedStore {
  try {
    return openAs(engine, place, { readOnly: true, obstacle: readableOnly(full) });
  } catch (error) {
    throw error instanceof StoreError ? full : error;
  }
}

function writableStore(
  engine: StoreEngine,
  place: StorePlace,
  { database, report, damagedCopies }: OpenedDatabase,
): OpenedStore {
  if (place.keepsDamaged === true) assertReadable(database);
  migrate(database, { keepCopy: (version) => keepCopy(engine.fileSystem, database, place.folder, version) });
  const sessions = sessionDbOver(engine, database);
  const salvaged = damagedCopies.map((copy) => salvagedFrom(copy, sessions, place.liveTurns ?? []));
  // After the salvage: a store made to replace a damaged one keeps its uid.
  if (sessions.getMeta(storeUidKey) === null) sessions.setMeta(storeUidKey, randomUUID());
  // Before answers of an earlier build are taken in: one may belong to a turn that is brought back now.
  const replaced = replacedStores(
    engine,
    sessions,
    [place.folder, ...rescueFoldersOf(place)],
    place.bringsBack === true,
  );
  // Before turns are settled: such an answer may have ended in its file.
  const spills = takeInEarlierSpills(engine.fileSystem, sessions, place.folder, place.sharedFolders ?? []);
  const recoveredTurns = sessions
    .recoverTurns(place.liveTurns)
    .map(({ turn }) => ({ sessionId: turn.sessionId, turnUid: turn.uid }));
  scrubAgain(sessions);
  // The path under which the damaged file is now kept.
  const quarantined = report.quarantined && {
    ...report.quarantined,
    path: salvaged.at(-1)?.path ?? report.quarantined.path,
  };
  return served(sessions, database, {
    ...report,
    quarantined,
    recoveredTurns,
    salvaged,
    ...replaced,
    spills,
    readOnly: null,
  });
}

function assertReadable(database: OpenedDatabase['database']): void {
  const [damage] = fileCheck(database);
  if (damage !== undefined) throw storeError('corrupt', damage);
}

/** Rewrites the file if a crash or a full disk prevented that after a deletion. It stays due if it fails again. */
function scrubAgain(sessions: SessionDb): void {
  try {
    sessions.scrub();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/** Imports a damaged file into the store. Its rows are durable here before it is marked as read, so a crash in
 *  between repeats the import, which changes nothing. */
function salvagedFrom(copy: DamagedCopy, sessions: SessionDb, liveTurns: readonly string[]): Salvage {
  const { result, isComplete } = copy.salvage((rows) => sessions.mergeFrom(rows, liveTurns));
  return {
    path: copy.finish(),
    sessions: result.sessions,
    messages: result.messages,
    complete: result.skipped === 0 && isComplete,
  };
}

function readOnlyStore(engine: StoreEngine, { database, report }: OpenedDatabase): OpenedStore {
  if (report.userVersion < schemaVersion) {
    throw new StoreError(
      'readOnly',
      t(
        'Your sessions were saved by an earlier version of Hermes and can’t be updated because their folder is read-only. Make it writable, then retry.',
      ),
      `user_version ${report.userVersion}, this program needs ${schemaVersion}`,
    );
  }
  return served(sessionDbOver(engine, database), database, {
    ...report,
    recoveredTurns: [],
    salvaged: [],
    replaced: [],
    broughtBack: [],
    spills: [],
    readOnly: storeErrorData(report.readOnly),
  });
}

function sessionDbOver(engine: StoreEngine, database: OpenedDatabase['database']): SessionDb {
  return createSessionDb({
    database,
    now: engine.now,
    fileSizes: () => database.sizes(),
    openOther: (folder) => otherDatabase(engine, folder),
    ...(engine.monotonicMs === undefined ? {} : { monotonicMs: engine.monotonicMs }),
  });
}

function otherDatabase(engine: StoreEngine, folder: string): OtherDatabase {
  const { database } = openDatabase({ ...engine, folder, readOnly: true });
  return { database, close: () => database.abandon() };
}

function served(sessions: SessionDb, database: OpenedDatabase['database'], report: OpenReport): OpenedStore {
  return {
    operations: sessions,
    report,
    slices: sessions.slices,
    tidySlices: () => sessions.tidySlices(),
    mustReopen: () => database.mustReopen,
    close: () => database.close(),
  };
}

function rescueFoldersOf({ folder, sharedFolders = [] }: StorePlace): readonly string[] {
  return sharedFolders.map((shared) => rescueFolderIn(shared, folder));
}

function ownershipCheck(fileSystem: FileSystem, { folder, fence }: StorePlace): () => void {
  const { lock } = storeFiles(folder);
  return fence === null ? () => undefined : () => assertFence(fileSystem, lock, fence);
}

/** A copy of a store, beside the file that replaced it: its sessions may be brought back. */
interface ReplacedStore {
  readonly path: string;
  /** The reason why its sessions could not be brought back just now; null when that was not tried. */
  readonly problem: string | null;
}

/** Sessions that were brought back from such a copy. */
interface BroughtBack {
  /** Path of the copy. */
  readonly path: string;
  readonly sessions: number;
  readonly messages: number;
  /** False when something in it could not be read. */
  readonly complete: boolean;
}

/** Finds the copies of a store whose file was replaced by another, and imports their sessions if the user asked for
 *  that. After a crash in between, the import, which goes by identity, is simply repeated. */
function replacedStores(
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

function bringBackFrom(engine: StoreEngine, sessions: SessionDb, path: string): BroughtBack {
  const database = openToRead(engine, { folder: dirname(path), main: path, log: logOf(path) });
  let complete = true;
  try {
    const rows = function* (table: string) {
      complete = (yield* readableRows(database, table)) && complete;
    };
    const uid = database.get('SELECT value FROM state_meta WHERE key = ?', [storeUidKey])?.['value'];
    const report = sessions.mergeFrom({ rows });
    // An answer of that store, which an earlier build kept in a file, now belongs to this one.
    if (typeof uid === 'string') sessions.setMeta(joinedStoreKey(uid), '1');
    return {
      path: retire(engine.fileSystem, path, 'merged', engine.now()),
      sessions: report.sessions,
      messages: report.messages + report.extended,
      complete,
    };
  } finally {
    database.abandon();
  }
}
