import { randomUUID } from 'node:crypto';
import type { FileSystem } from '../engine/fileSystem';
import type { Sqlite } from '../engine/sqlite';
import { assertFence } from '../lock/heldLock';
import type { DamagedCopy } from '../open/damagedCopy';
import { openDatabase, type OpenedDatabase } from '../open/openDatabase';
import { storeFiles } from '../open/storeFiles';
import { migrate, schemaVersion } from '../schema/migrations';
import type { OtherDatabase } from '../session/bringOver';
import { SessionDb } from '../session/sessionDb';
import { storeUidKey } from '../session/storeUid';
import type { SearchHit, SearchProgress, SearchQuery, SessionOperations } from '../sessionStore';
import { foldFoundSpills, type FoundSpill, type SpillSearch } from '../spill/foundSpills';
import { StoreError } from '../storeError';
import { keepCopy } from './keepCopy';
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
  /** False when something in it could not be read. */
  readonly complete: boolean;
}

/** A store that was found, checked, migrated and recovered, and is served by one thread. */
export interface OpenedStore {
  readonly operations: SessionOperations;
  readonly report: OpenReport;
  /** `search` in slices of about 20 ms; those of a scan say how far it has come. */
  searchSlices(query: SearchQuery): Generator<SearchProgress | undefined, readonly SearchHit[]>;
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
}

/** Opens the store of a folder whose lock the caller holds: file checked, schema brought up to date, damaged and sibling files read in, turns
 *  of a dead process settled. Synchronous. Throws a `StoreError`. */
export function openSessionStore(engine: StoreEngine, place: StorePlace): OpenedStore {
  const opened = openDatabase({
    ...engine,
    folder: place.folder,
    schemaVersion,
    assertOwned: ownershipCheck(engine.fileSystem, place),
    readOnly: place.fence === null,
    knownDamaged: place.salvage,
  });
  try {
    return opened.report.readOnly ? readOnlyStore(engine, opened) : writableStore(engine, place, opened);
  } catch (error) {
    opened.database.abandon();
    throw error;
  }
}

function writableStore(
  engine: StoreEngine,
  place: StorePlace,
  { database, report, damagedCopies }: OpenedDatabase,
): OpenedStore {
  migrate(database, { keepCopy: (version) => keepCopy(engine.fileSystem, database, place.folder, version) });
  const sessions = sessionDbOver(engine, database);
  const salvaged = damagedCopies.map((copy) => salvagedFrom(copy, sessions));
  // Behind the salvage: a store that was made in place of a damaged one goes on under its name.
  if (sessions.getMeta(storeUidKey) === null) sessions.setMeta(storeUidKey, randomUUID());
  const siblings = new SiblingMerger(engine, sessions).mergeAll(place.siblings);
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
function salvagedFrom(copy: DamagedCopy, sessions: SessionDb): Salvage {
  const { result, tables } = copy.salvage((rows) => sessions.mergeFrom(rows));
  return {
    path: copy.finish(),
    sessions: result.sessions,
    messages: result.messages,
    complete: tables.every(({ complete }) => complete),
  };
}

function readOnlyStore(engine: StoreEngine, { database, report }: OpenedDatabase): OpenedStore {
  if (report.userVersion < schemaVersion) {
    throw new StoreError(
      'readOnly',
      'Your sessions were saved by an earlier version of Hermes and cannot be brought up to date in a folder that cannot be written to. Make it writable, then retry.',
      `user_version ${report.userVersion}, this program needs ${schemaVersion}`,
    );
  }
  return served(sessionDbOver(engine, database), database, {
    ...report,
    recoveredTurns: [],
    salvaged: [],
    merged: [],
    mergeProblems: [],
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
    searchSlices: (query) => sessions.searchSlices(query),
    mustReopen: () => database.mustReopen,
    close: () => database.close(),
  };
}

function ownershipCheck(fileSystem: FileSystem, { folder, fence }: StorePlace): () => void {
  const { lock } = storeFiles(folder);
  return fence === null ? () => undefined : () => assertFence(fileSystem, lock, fence);
}
