import { randomUUID } from 'node:crypto';
import type { FileSystem } from '../engine/fileSystem';
import type { Sqlite } from '../engine/sqlite';
import { assertFence } from '../lock/heldLock';
import type { DamagedCopy } from '../open/damagedCopy';
import { openDatabase, type OpenDatabaseOptions, type OpenedDatabase } from '../open/openDatabase';
import { rescueFolderIn } from '../open/replacedFiles';
import { storeFiles } from '../open/storeFiles';
import { migrate, schemaVersion } from '../schema/migrations';
import type { OtherDatabase } from '../session/import/bringOver';
import { SessionDb } from '../session/sessionDb';
import { storeUidKey } from '../session/tables/storeUid';
import type { SlicedOperations } from '../session/slicedOperations';
import type { SessionOperations } from '../sessionStore';
import type { SlicedWork } from '../slicedWork';
import { foldFoundSpills, type FoundSpill, type SpillSearch } from '../spill/foundSpills';
import { readableOnly } from '../engine/sqlFailure';
import { StoreError } from '../storeError';
import { keepCopy } from './keepCopy';
import { replacedStores, type BroughtBack, type ReplacedStore } from './replacedStores';
import { SiblingMerger, type SiblingMerge, type SiblingProblem } from './siblingMerger';
import { storeErrorData, type StoreErrorData } from './storeErrorData';

/** What to open, and under which conditions. Plain data: it travels to the worker. */
export interface StorePlace {
  readonly folder: string;
  /** The mark of the lock this process holds, checked before every acknowledgement; null opens for reading only. */
  readonly fence: string | null;
  /** The file was found damaged while in use: set it aside and save what can be read. */
  readonly salvage: boolean;
  /** Folders in which another host of the same workspace may have left a store, to be merged into this one. */
  readonly siblings: readonly string[];
  /** Where spill files of this store may lie. Without it none are looked for. */
  readonly spills?: SpillSearch;
  /** Bring back the sessions of copies that another file took the place of, instead of only naming them in the report. */
  readonly bringsBack?: boolean;
}

/** What opening found and did, for the panel to tell. Plain data. */
export interface OpenReport {
  readonly path: string;
  /** A store was made: there was none, or the one found was set aside. */
  readonly created: boolean;
  /** Turns a dead process had left running, now settled with stop reason `crash`. */
  readonly recoveredTurns: readonly { readonly sessionId: string; readonly turnUid: string }[];
  /** The damaged file that was moved out of the way. */
  readonly setAside: { readonly path: string; readonly damage: string } | null;
  /** What was read out of damaged files, one entry for each. */
  readonly salvaged: readonly Salvage[];
  /** Stores of suffixed folders that are now part of this one, and those that could not be read. */
  readonly merged: readonly SiblingMerge[];
  readonly mergeProblems: readonly SiblingProblem[];
  /** Where the copy was kept that was given the store's name, because the file was deleted while it was open; null when there was none. */
  readonly putBack: string | null;
  /** Copies that another file took the place of, and what was brought back out of some. */
  readonly replaced: readonly ReplacedStore[];
  readonly broughtBack: readonly BroughtBack[];
  /** Spill files that were found and what became of them. */
  readonly spills: readonly FoundSpill[];
  /** Why nothing can be saved; null when the store is open for writing. */
  readonly readOnly: StoreErrorData | null;
}

export interface Salvage {
  /** Where the damaged file is kept. */
  readonly path: string;
  readonly sessions: number;
  readonly messages: number;
  /** False when something in it could not be read, or is nothing that can be kept. */
  readonly complete: boolean;
}

/** A store that was found, checked, migrated and recovered, and is served by one thread. */
export interface OpenedStore {
  readonly operations: SessionOperations;
  readonly report: OpenReport;
  /** Operations that may take long, in slices. */
  readonly slices: Partial<SlicedOperations>;
  /** Care for idle moments: what long operations left goes. */
  tidySlices(): SlicedWork<void>;
  /** Whether a failed call left the database so that no further write can succeed. */
  mustReopen(): boolean;
  close(): void;
}

/** What a store is opened with. */
export interface StoreEngine {
  readonly sqlite: Sqlite;
  readonly fileSystem: FileSystem;
  /** Seconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds that never go back; without it `now` is used. */
  readonly monotonicMs?: () => number;
}

/** Opens the store of a folder whose lock the caller holds: file checked, schema brought up to date, damaged and sibling files read in, turns
 *  of a dead process settled. A file that turns out to be damaged meanwhile is set aside and saved from; one that a full disk keeps from being
 *  brought up to date is opened for reading. Synchronous. Throws a `StoreError`. */
export function openSessionStore(engine: StoreEngine, place: StorePlace): OpenedStore {
  try {
    return openAs(engine, place, {});
  } catch (error) {
    if (!(error instanceof StoreError) || place.fence === null) throw error;
    if (error.causeClass === 'corrupt' && !place.salvage) return openSessionStore(engine, { ...place, salvage: true });
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
    schemaVersion,
    assertOwned: ownershipCheck(engine.fileSystem, place),
    readOnly: place.fence === null,
    knownDamaged: place.salvage,
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

/** Where there is nothing to read, the full disk is what there is to say. */
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
  migrate(database, { keepCopy: (version) => keepCopy(engine.fileSystem, database, place.folder, version) });
  const sessions = sessionDbOver(engine, database);
  const salvaged = damagedCopies.map((copy) => salvagedFrom(copy, sessions, place.spills?.liveTurns ?? []));
  // Behind the salvage: a store that was made in place of a damaged one goes on under its name.
  if (sessions.getMeta(storeUidKey) === null) sessions.setMeta(storeUidKey, randomUUID());
  const siblings = new SiblingMerger(engine, sessions).mergeAll(place.siblings);
  // Before spills are folded: the answer of one may belong to a turn that comes back now.
  const replaced = replacedStores(
    engine,
    sessions,
    [place.folder, ...rescueFoldersOf(place)],
    place.bringsBack === true,
  );
  // Before turns are settled: how one ended may stand in its spill file.
  const spills =
    place.spills === undefined ? [] : foldFoundSpills(engine.fileSystem, sessions, place.folder, place.spills);
  const recoveredTurns = sessions
    .recoverTurns(place.spills?.liveTurns)
    .map(({ turn }) => ({ sessionId: turn.sessionId, turnUid: turn.uid }));
  scrubAgain(sessions);
  // The name under which the damaged file is kept from now on.
  const setAside = report.setAside && { ...report.setAside, path: salvaged.at(-1)?.path ?? report.setAside.path };
  return served(sessions, database, {
    ...report,
    setAside,
    recoveredTurns,
    salvaged,
    ...siblings,
    ...replaced,
    spills,
    readOnly: null,
  });
}

/** Makes up for the rewriting of the file that a crash or a full disk kept a deletion from. It stays due when it fails again. */
function scrubAgain(sessions: SessionDb): void {
  try {
    sessions.scrub();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/** Reads a damaged file into the store. Its rows are durable here before it counts as read, so a crash in between reads it again, which
 *  changes nothing. */
function salvagedFrom(copy: DamagedCopy, sessions: SessionDb, liveTurns: readonly string[]): Salvage {
  const { result, tables } = copy.salvage((rows) => sessions.mergeFrom(rows, liveTurns));
  return {
    path: copy.finish(),
    sessions: result.sessions,
    messages: result.messages,
    complete: result.skipped === 0 && tables.every(({ complete }) => complete),
  };
}

function readOnlyStore(engine: StoreEngine, { database, report }: OpenedDatabase): OpenedStore {
  if (report.userVersion < schemaVersion) {
    throw new StoreError(
      'readOnly',
      'Your sessions were saved by an earlier version of Hermes and can’t be updated because their folder is read-only. Make it writable, then retry.',
      `user_version ${report.userVersion}, this program needs ${schemaVersion}`,
    );
  }
  return served(sessionDbOver(engine, database), database, {
    ...report,
    recoveredTurns: [],
    salvaged: [],
    merged: [],
    mergeProblems: [],
    replaced: [],
    broughtBack: [],
    spills: [],
    readOnly: storeErrorData(report.readOnly),
  });
}

function sessionDbOver(engine: StoreEngine, database: OpenedDatabase['database']): SessionDb {
  return new SessionDb({
    database,
    now: engine.now,
    fileSizes: () => database.sizes(),
    openOther: (folder) => otherDatabase(engine, folder),
    ...(engine.monotonicMs === undefined ? {} : { monotonicMs: engine.monotonicMs }),
  });
}

function otherDatabase(engine: StoreEngine, folder: string): OtherDatabase {
  const { database } = openDatabase({ ...engine, folder, schemaVersion, assertOwned: () => undefined, readOnly: true });
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

function rescueFoldersOf({ folder, spills }: StorePlace): readonly string[] {
  return (spills?.folders ?? []).map((shared) => rescueFolderIn(shared, folder));
}

function ownershipCheck(fileSystem: FileSystem, { folder, fence }: StorePlace): () => void {
  const { lock } = storeFiles(folder);
  return fence === null ? () => undefined : () => assertFence(fileSystem, lock, fence);
}
