import { t } from '../../base/translate';
import { errnoOf, writeNewFile } from '../engine/fileSystem';
import type { FileSystem } from '../engine/fileSystem';
import type { Sqlite } from '../engine/sqlite';
import { SqlJsDatabase } from '../engine/sqlJsDatabase';
import { diskError, sqlFailure, storeError } from '../engine/sqlFailure';
import { StoreError } from '../storeError';
import type { Damage, FileClass } from './classifyFile';
import { classifyFile, damageInUse } from './classifyFile';
import { configure } from './configure';
import { DamagedCopy, firstPageOf } from './damagedCopy';
import { emptyDatabase } from './fileHeader';
import { dropSecondNames, putBack } from './replacedFiles';
import { adoptLog, freeStamp, pendingStamps, quarantine } from './quarantine';
import type { StoreFiles } from './storeFiles';
import { pendingPath, storeFiles } from './storeFiles';
import { TableShape } from './tableShape';

export interface OpenDatabaseOptions {
  readonly sqlite: Sqlite;
  readonly fileSystem: FileSystem;
  /** Created when it does not exist. */
  readonly folder: string;
  /** The newest schema version that this program supports (`PRAGMA user_version`). */
  readonly schemaVersion: number;
  /** Throws a `StoreError` when this process does not own the store (`HeldLock.assertHeld`, `assertFence`). */
  readonly assertOwned: () => void;
  /** Reads a time in seconds since 1970. */
  readonly now: () => number;
  /** True to open for reading only: no file is made, moved or changed. Needs no lock, but no other process may be
   *  writing. */
  readonly readOnly?: boolean;
  /** With `readOnly`: the reason why nothing can be written, for the report. */
  readonly obstacle?: StoreError;
  /** True when an earlier call on this file failed with cause `corrupt`: the file is set aside although its header
   *  looks valid. */
  readonly knownDamaged?: boolean;
  /** True to throw `corrupt` for a damaged file, and to leave it and earlier ones as they are. */
  readonly keepsDamaged?: boolean;
  /** Folders for the copy of a store whose file is moved or deleted while it is open, if the store's own folder
   *  cannot take the copy. */
  readonly rescueFolders?: readonly string[];
}

/** Result of opening, to report to the user. */
interface DatabaseReport {
  readonly path: string;
  /** True when a store was made: there was none, or the existing one was set aside. */
  readonly created: boolean;
  readonly userVersion: number;
  /** The reason why the store is read-only, or null when it is writable. */
  readonly readOnly: StoreError | null;
  /** The damaged file that this opening set aside, and its damage. */
  readonly quarantined: { readonly path: string; readonly damage: Damage } | null;
  /** Former path of the copy that got the store's name, because the file was deleted while it was open; null when
   *  there was none. */
  readonly putBack: string | null;
}

export interface OpenedDatabase {
  readonly database: SqlJsDatabase;
  readonly report: DatabaseReport;
  /** Damaged files whose readable rows are not all in this store yet, oldest first. Includes those that an earlier
   *  run did not finish. Read them after the schema is up to date (`DamagedCopy.salvage`). */
  readonly damagedCopies: readonly DamagedCopy[];
}

/** Opens the store of a folder. The caller owns it (src/store/lock). Examines the file before SQLite does. A damaged
 *  file is set aside and replaced by a new store; a file of another program or of a newer version is refused and not
 *  changed. Throws `StoreError`. */
export function openDatabase(options: OpenDatabaseOptions): OpenedDatabase {
  const files = storeFiles(options.folder);
  try {
    if (options.readOnly !== true) options.fileSystem.makeFolder(files.folder);
    const obstacle = writeObstacle(options, files);
    return obstacle === undefined ? openForWritingIfPossible(options, files) : openForReading(options, files, obstacle);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw diskError('open the store in', files.folder, errnoOf(error));
  }
}

/** The reason why the store is read-only; undefined when it is writable. */
function writeObstacle(
  { fileSystem, readOnly, obstacle }: OpenDatabaseOptions,
  files: StoreFiles,
): StoreError | undefined {
  if (readOnly === true) return obstacle ?? storeError('readOnly', 'opened for reading only');
  const paths = [files.folder, files.main, files.log].filter((path) => fileSystem.stat(path) !== undefined);
  const denied = paths.find((path) => !fileSystem.mayWrite(path));
  return denied === undefined ? undefined : storeError('readOnly', `no permission to write ${denied}`);
}

/** Opens for writing, else for reading: Windows and some network file systems report only at the first write that a
 *  place is read-only. */
function openForWritingIfPossible(options: OpenDatabaseOptions, files: StoreFiles): OpenedDatabase {
  try {
    return openForWriting(options, files);
  } catch (error) {
    const failure = error instanceof StoreError ? error : diskError('write in', files.folder, errnoOf(error));
    if (failure.causeClass !== 'readOnly') throw failure;
    return openForReading(options, files, failure);
  }
}

function openForWriting(options: OpenDatabaseOptions, files: StoreFiles): OpenedDatabase {
  const { fileSystem } = options;
  let found = classifyFile(fileSystem, files);
  if (found.kind === 'logOnly' && adoptLog(fileSystem, files)) found = classifyFile(fileSystem, files);
  const rescued =
    found.kind === 'absent'
      ? putBack(fileSystem, files, [files.folder, ...(options.rescueFolders ?? [])], options.schemaVersion)
      : null;
  if (rescued !== null) found = classifyFile(fileSystem, files);
  else dropSecondNames(fileSystem, files);
  refuseForeign(found, files, options.schemaVersion);

  const inUse =
    options.knownDamaged === true &&
    fileSystem.stat(files.main) !== undefined &&
    (found.kind === 'ours' || found.kind === 'logOnly');
  let damage = inUse ? damageInUse(fileSystem, files) : damageOf(found);
  let database: SqlJsDatabase | undefined;
  if (found.kind === 'ours' && damage === undefined) {
    database = connectUnlessDamaged(options, files);
    if (database === undefined) damage = 'content';
  }

  let moved: DatabaseReport['quarantined'] = null;
  if (damage !== undefined) {
    if (options.keepsDamaged === true) throw storeError('corrupt', `${files.main}: ${damage}`);
    const stamp = quarantine(fileSystem, files, options.now());
    moved = { path: pendingPath(files.folder, stamp), damage };
  }
  const created = database === undefined;
  if (database === undefined) {
    createEmpty(fileSystem, files);
    database = connect(options, files, false);
  }
  const opened = database;
  const successor = {
    firstPage: (): Uint8Array => {
      opened.all('PRAGMA wal_checkpoint(TRUNCATE)');
      return firstPageOf(fileSystem, files.main);
    },
    shapes: () => TableShape.all(opened),
  };
  const stamps = options.keepsDamaged === true ? [] : pendingStamps(fileSystem, files.folder);
  const copies = stamps.map((stamp) => new DamagedCopy(options.sqlite, fileSystem, files.folder, stamp, successor));
  return {
    database,
    report: {
      path: files.main,
      created,
      userVersion: userVersion(database),
      readOnly: null,
      quarantined: moved,
      putBack: rescued,
    },
    damagedCopies: copies,
  };
}

function openForReading(options: OpenDatabaseOptions, files: StoreFiles, obstacle: StoreError): OpenedDatabase {
  const found = classifyFile(options.fileSystem, files);
  refuseForeign(found, files, options.schemaVersion);
  const damage = damageOf(found);
  if (damage !== undefined) {
    const technical = `${files.main}: ${damage}; not set aside: ${obstacle.technical}`;
    throw options.readOnly === true && options.obstacle === undefined
      ? storeError('corrupt', technical)
      : damagedAndFixed(technical, files);
  }
  if (found.kind !== 'ours')
    throw storeError('readOnly', `there is no ${files.main}, and none can be made: ${obstacle.technical}`);
  const database = connect(options, files, true);
  return {
    database,
    report: {
      path: files.main,
      created: false,
      userVersion: userVersion(database),
      readOnly: obstacle,
      quarantined: null,
      putBack: null,
    },
    damagedCopies: [],
  };
}

function damagedAndFixed(technical: string, { folder }: StoreFiles): StoreError {
  return new StoreError(
    'corrupt',
    t(
      'The file that holds your sessions is damaged, and Hermes can’t write to {folder} to repair it. Make that folder writable, or free some space, then choose Try Again.',
      { folder },
    ),
    technical,
  );
}

function damageOf(found: FileClass): Damage | undefined {
  if (found.kind === 'damaged') return found.damage;
  return found.kind === 'logOnly' ? 'log-without-file' : undefined;
}

/** Throws for files that we must not change. */
function refuseForeign(found: FileClass, files: StoreFiles, schemaVersion: number): void {
  switch (found.kind) {
    case 'foreign':
      throw new StoreError(
        'unknown',
        t(
          'The file {file} belongs to another program, so Hermes did not touch it. Move it away, or choose another folder in the setting "hermes.storage.path".',
          { file: files.main },
        ),
        `application_id ${found.applicationId}`,
      );
    case 'notAFile':
      throw new StoreError(
        'unknown',
        t(
          'There is a folder where Hermes keeps its sessions: {path}. Move it away, or choose another folder in the setting "hermes.storage.path".',
          { path: files.main },
        ),
        'EISDIR',
      );
    case 'ours':
      if (found.header.userVersion > schemaVersion) throw newer(found.header.userVersion, schemaVersion);
      return;
    case 'absent':
    case 'logOnly':
    case 'damaged':
      return;
  }
}

function newer(found: number, known: number): StoreError {
  return storeError('newer', `the file has schema version ${found}, this program knows ${known}`);
}

/** Creates a new store, which appears under its name complete or not at all. */
function createEmpty(fileSystem: FileSystem, files: StoreFiles): void {
  const unborn = `${files.main}.new`;
  // Left by a crash between the two steps; this process owns the folder.
  if (fileSystem.stat(unborn) !== undefined) fileSystem.remove(unborn);
  writeNewFile(fileSystem, unborn, emptyDatabase());
  fileSystem.rename(unborn, files.main);
  fileSystem.syncFolder(files.folder);
}

function connectUnlessDamaged(options: OpenDatabaseOptions, files: StoreFiles): SqlJsDatabase | undefined {
  try {
    return connect(options, files, false);
  } catch (error) {
    if (error instanceof StoreError && error.causeClass === 'corrupt') return undefined;
    throw error;
  }
}

function connect(options: OpenDatabaseOptions, files: StoreFiles, readOnly: boolean): SqlJsDatabase {
  const connection = options.sqlite.connect({
    fileSystem: options.fileSystem,
    folder: files.folder,
    mainPath: files.main,
    logPath: files.log,
    readOnly,
    rescueFolders: options.rescueFolders ?? [],
    imagePath: () => pendingPath(files.folder, freeStamp(options.fileSystem, files.folder, options.now())),
  });
  const database = new SqlJsDatabase(connection, readOnly ? () => undefined : options.assertOwned);
  try {
    configure(database, readOnly);
    // The header on disk is as of the last checkpoint; the log may hold a newer version.
    const version = userVersion(database);
    if (version > options.schemaVersion) throw newer(version, options.schemaVersion);
    return database;
  } catch (error) {
    database.abandon();
    throw sqlFailure(error, connection.mounted.diskFailure);
  }
}

function userVersion(database: SqlJsDatabase): number {
  const version = database.get('PRAGMA user_version')?.['user_version'];
  return typeof version === 'number' ? version : 0;
}
