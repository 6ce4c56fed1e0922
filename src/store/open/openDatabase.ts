import { t } from '../../base/translate';
import { errnoOf, replaceFile } from '../engine/fileSystem';
import type { StoreEngine } from '../engine/sqlite';
import { SqlJsDatabase } from '../engine/sqlJsDatabase';
import { diskError, sqlFailure, storeError } from '../engine/sqlFailure';
import { schemaVersion } from '../schema/migrations';
import { StoreError } from '../storeError';
import type { Damage, FileClass } from './fileHeader';
import { classifyFile, damageInUse } from './fileHeader';
import { configure } from './configure';
import { DamagedCopy, firstPageOf } from './damagedCopy';
import { emptyDatabase } from './fileHeader';
import { dropSecondNames, putBack } from './replacedFiles';
import { adoptLog, freeStamp, pendingStamps, quarantine } from './quarantine';
import type { StoreFiles } from './storeFiles';
import { pendingPath, storeFiles } from './storeFiles';
import { TableShape } from './tableShape';

export interface OpenDatabaseOptions extends Pick<StoreEngine, 'sqlite' | 'fileSystem' | 'now'> {
  /** Created when it does not exist. */
  readonly folder: string;
  /** The newest `PRAGMA user_version` that is opened. Default: this program's. */
  readonly schemaVersion?: number;
  /** Throws a `StoreError` when this process does not own the store (`HeldLock.assertHeld`, `assertFence`). Default: no
   *  check, for a private copy. */
  readonly assertOwned?: () => void;
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
export interface DatabaseReport {
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
export function openDatabase(given: OpenDatabaseOptions): OpenedDatabase {
  const defaults = { schemaVersion, assertOwned: () => undefined, rescueFolders: [] };
  const files = storeFiles(given.folder);
  const opening: Opening = { ...defaults, ...given, files };
  try {
    if (given.readOnly !== true) given.fileSystem.makeFolder(files.folder);
    const obstacle = writeObstacle(opening);
    return obstacle === undefined ? openForWritingIfPossible(opening) : openForReading(opening, obstacle);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw diskError('open the store in', files.folder, errnoOf(error));
  }
}

type Opening = OpenDatabaseOptions &
  Required<Pick<OpenDatabaseOptions, 'schemaVersion' | 'assertOwned' | 'rescueFolders'>> & {
    readonly files: StoreFiles;
  };

/** The reason why the store is read-only; undefined when it is writable. */
function writeObstacle({ fileSystem, files, readOnly, obstacle }: Opening): StoreError | undefined {
  if (readOnly === true) return obstacle ?? storeError('readOnly', 'opened for reading only');
  const paths = [files.folder, files.main, files.log].filter((path) => fileSystem.stat(path) !== undefined);
  const denied = paths.find((path) => !fileSystem.mayWrite(path));
  return denied === undefined ? undefined : storeError('readOnly', `no permission to write ${denied}`);
}

/** Opens for writing, else for reading: Windows and some network file systems report only at the first write that a
 *  place is read-only. */
function openForWritingIfPossible(opening: Opening): OpenedDatabase {
  try {
    return openForWriting(opening);
  } catch (error) {
    const failure = error instanceof StoreError ? error : diskError('write in', opening.folder, errnoOf(error));
    if (failure.causeClass !== 'readOnly') throw failure;
    return openForReading(opening, failure);
  }
}

function openForWriting(opening: Opening): OpenedDatabase {
  const { fileSystem, files, sqlite, now } = opening;
  let found = classifyFile(fileSystem, files);
  if (found.kind === 'logOnly' && adoptLog(fileSystem, files)) found = classifyFile(fileSystem, files);
  const rescued =
    found.kind === 'absent'
      ? putBack(fileSystem, files, [files.folder, ...opening.rescueFolders], opening.schemaVersion)
      : null;
  if (rescued !== null) found = classifyFile(fileSystem, files);
  else dropSecondNames(fileSystem, files);
  refuseForeign(found, opening);

  const inUse =
    opening.knownDamaged === true &&
    fileSystem.stat(files.main) !== undefined &&
    (found.kind === 'ours' || found.kind === 'logOnly');
  let damage = inUse ? damageInUse(fileSystem, files) : damageOf(found);
  let database: SqlJsDatabase | undefined;
  if (found.kind === 'ours' && damage === undefined) {
    database = connectUnlessDamaged(opening);
    if (database === undefined) damage = 'content';
  }

  let moved: DatabaseReport['quarantined'] = null;
  if (damage !== undefined) {
    if (opening.keepsDamaged === true) throw storeError('corrupt', `${files.main}: ${damage}`);
    const stamp = quarantine(fileSystem, files, now());
    moved = { path: pendingPath(files.folder, stamp), damage };
  }
  const created = database === undefined;
  if (database === undefined) {
    replaceFile(fileSystem, files.main, emptyDatabase());
    database = connect(opening, false);
  }
  const opened = database;
  const successor = {
    firstPage: (): Uint8Array => {
      opened.all('PRAGMA wal_checkpoint(TRUNCATE)');
      return firstPageOf(fileSystem, files.main);
    },
    shapes: () => TableShape.all(opened),
  };
  const stamps = opening.keepsDamaged === true ? [] : pendingStamps(fileSystem, files.folder);
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
    damagedCopies: stamps.map((stamp) => new DamagedCopy(sqlite, fileSystem, files.folder, stamp, successor)),
  };
}

function openForReading(opening: Opening, obstacle: StoreError): OpenedDatabase {
  const { files } = opening;
  const found = classifyFile(opening.fileSystem, files);
  refuseForeign(found, opening);
  const damage = damageOf(found);
  if (damage !== undefined) {
    const technical = `${files.main}: ${damage}; not set aside: ${obstacle.technical}`;
    throw opening.readOnly === true && opening.obstacle === undefined
      ? storeError('corrupt', technical)
      : damagedAndFixed(technical, files);
  }
  if (found.kind !== 'ours')
    throw storeError('readOnly', `there is no ${files.main}, and none can be made: ${obstacle.technical}`);
  const database = connect(opening, true);
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
function refuseForeign(found: FileClass, { files, schemaVersion: known }: Opening): void {
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
      if (found.header.userVersion > known) throw newer(found.header.userVersion, known);
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

function connectUnlessDamaged(opening: Opening): SqlJsDatabase | undefined {
  try {
    return connect(opening, false);
  } catch (error) {
    if (error instanceof StoreError && error.causeClass === 'corrupt') return undefined;
    throw error;
  }
}

function connect(opening: Opening, readOnly: boolean): SqlJsDatabase {
  const { fileSystem, files, rescueFolders } = opening;
  const { folder, main: mainPath, log: logPath } = files;
  const imagePath = () => pendingPath(folder, freeStamp(fileSystem, folder, opening.now()));
  const connection = opening.sqlite.connect({
    fileSystem,
    folder,
    mainPath,
    logPath,
    readOnly,
    rescueFolders,
    imagePath,
  });
  const database = new SqlJsDatabase(connection, readOnly ? () => undefined : opening.assertOwned);
  try {
    configure(database, readOnly);
    // The header on disk is as of the last checkpoint; the log may hold a newer version.
    const version = userVersion(database);
    if (version > opening.schemaVersion) throw newer(version, opening.schemaVersion);
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
