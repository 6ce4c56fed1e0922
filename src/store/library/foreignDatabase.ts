import { dirname } from 'node:path';
import { t } from '../../base/translate';
import type { FileSystem } from '../engine/fileSystem';
import type { Sqlite } from '../engine/sqlite';
import type { SqlDatabase, SqlRow } from '../engine/sqlDatabase';
import { SqlJsDatabase } from '../engine/sqlJsDatabase';
import { configure } from '../open/configure';
import { storeFiles } from '../open/storeFiles';
import { StoreError } from '../storeError';
import { copyDatabase, type CopyDeps } from './storeCopy';

interface ForeignDatabaseDeps extends CopyDeps {
  readonly sqlite: Sqlite;
}

/** Opens a private copy of another program's SQLite database for reading, with what its write-ahead log
 *  (`<path>-wal`) holds. Writes nothing beside the original; `close` removes the copy. Throws an `Error` with the
 *  reason; a `StoreError` with cause `locked` while a rollback journal is beside it, because pages of an unfinished
 *  transaction are then in the file. */
export function openForeignDatabase(deps: ForeignDatabaseDeps, path: string): Pick<SqlDatabase, 'iterate' | 'close'> {
  const { fileSystem, sqlite } = deps;
  refuseJournal(fileSystem, path);
  const copy = copyDatabase(deps, { folder: dirname(path), main: path, log: `${path}-wal` });
  try {
    const { main: mainPath, log: logPath } = storeFiles(copy.folder);
    const connection = sqlite.connect({ fileSystem, folder: copy.folder, mainPath, logPath, readOnly: true });
    const database = new SqlJsDatabase(connection, () => undefined);
    configureOrClose(database);
    return {
      iterate: (sql, params) => withPlainErrors(database.iterate(sql, params)),
      close: () => {
        try {
          database.abandon();
        } finally {
          copy.remove();
        }
      },
    };
  } catch (error) {
    copy.remove();
    throw plain(error);
  }
}

function configureOrClose(database: SqlJsDatabase): void {
  try {
    configure(database, true);
  } catch (error) {
    database.abandon();
    throw error;
  }
}

function* withPlainErrors(rows: IterableIterator<SqlRow>): Generator<SqlRow> {
  try {
    yield* rows;
  } catch (error) {
    throw plain(error);
  }
}

/** The sentence of a `StoreError` is about our own store; for another program's file SQLite's reason is right. */
function plain(error: unknown): unknown {
  return error instanceof StoreError && error.causeClass !== 'locked' ? new Error(error.technical) : error;
}

function refuseJournal(fileSystem: FileSystem, path: string): void {
  if ((fileSystem.stat(`${path}-journal`)?.size ?? 0) === 0) return;
  throw new StoreError(
    'locked',
    t('Another program is writing to these sessions. Try again in a moment.'),
    `${path}-journal exists`,
  );
}
