import { dirname, join } from 'node:path';
import { joinSentences } from '../../base/messageText';
import { t } from '../../base/translate';
import { errorMessage } from '../../base/errorMessage';
import { StoreError } from '../storeError';
import type { FileRole, MountedDatabase } from './databaseFiles';
import { copyContent, errnoOf, type FileSystem, type OpenFile } from './fileSystem';
import type { Connection } from './sqlite';

/** Files of an open database that are no longer at their names. */
interface Displacement {
  readonly role: FileRole;
  /** True when this process still holds the store's lock. Otherwise another process may be using the files at these
   *  names. */
  readonly owned: boolean;
}

/** Saves the content of a database whose files were moved, deleted or replaced while it was open. Returns the error
 *  that describes what happened. Without the lock, writes to no file that existed before. */
export function rescue(connection: Connection, { role, owned }: Displacement): StoreError {
  const { mounted } = connection;
  const isGone = mounted.files.fileSystem.stat(mounted.pathOf(role)) === undefined;
  const folderIsGone = mounted.files.fileSystem.stat(mounted.files.folder)?.kind !== 'folder';
  let kept: string | null = null;
  let failure = '';
  try {
    if (role === 'log' && owned) checkpoint(connection, 'TRUNCATE');
    else kept = copyOut(connection, owned);
  } catch (error) {
    failure = `; it could not be copied: ${errorMessage(error)}`;
  }
  const technical =
    `${mounted.pathOf(role)} ` +
    `${isGone ? 'is gone' : 'is not the file that was opened'}${kept === null ? '' : `; copied to ${kept}`}${failure}`;
  const where =
    failure !== ''
      ? t('Your sessions could not be copied.')
      : kept === null
        ? t('Everything saved is kept.')
        : t('Your sessions are kept in {path}.', { path: kept });
  const displaced = (cause: 'replaced' | 'deleted', ...sentences: readonly string[]): StoreError =>
    new StoreError(cause, joinSentences([...sentences, where]), technical);
  if (role === 'log')
    return displaced(
      'replaced',
      t(
        'A file that belongs to your sessions was deleted, moved or replaced while it was in use. Choose Try Again to continue.',
      ),
    );
  const next =
    kept === null
      ? t('Choose Try Again to use the file that is there now.')
      : t('Choose Try Again to use that file. Then you can bring your sessions back.');
  if (!isGone) return displaced('replaced', t('Another file replaced the one that holds your sessions.'), next);
  const gone = folderIsGone
    ? t('The folder that holds your sessions was deleted or moved while it was in use.')
    : t('The file that holds your sessions was deleted or moved while it was in use.');
  return kept === null
    ? displaced('replaced', gone, t('Choose Try Again to begin a new history.'))
    : displaced('deleted', gone, t('Hermes puts it back now.'));
}

/** Copies the main file as its open handle shows it, and lets SQLite checkpoint the log into the copy. */
function copyOut(connection: Connection, owned: boolean): string {
  const { mounted } = connection;
  const { folder, rescueFolders = [] } = mounted.files;
  const { path, file } = firstThatTakes([folder, ...rescueFolders], (place) => copyInto(mounted, place));
  mounted.leadMainTo(file);
  checkpoint(connection, 'PASSIVE');
  file.sync();
  // A log that keeps its name must not be read into the file that now has the other name.
  if (owned) checkpoint(connection, 'TRUNCATE');
  return path;
}

function firstThatTakes<T>(folders: readonly string[], attempt: (folder: string) => T): T {
  let failure: unknown;
  for (const folder of folders) {
    try {
      return attempt(folder);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

function copyInto(mounted: MountedDatabase, folder: string): { readonly path: string; readonly file: OpenFile } {
  const { fileSystem } = mounted.files;
  const isNew = fileSystem.stat(folder) === undefined;
  fileSystem.makeFolder(folder);
  const { path, file } = newFile(fileSystem, folder);
  try {
    copyContent(mounted.fileOf('main'), file);
    file.sync();
    fileSystem.syncFolder(folder);
    if (isNew) fileSystem.syncFolder(dirname(folder));
    return { path, file };
  } catch (error) {
    file.close();
    fileSystem.remove(path);
    throw error;
  }
}

function newFile(fileSystem: FileSystem, folder: string): { readonly path: string; readonly file: OpenFile } {
  for (let number = 1; ; number++) {
    const path = join(folder, `state.replaced-${number}.db`);
    try {
      return { path, file: fileSystem.open(path, 'createNew') };
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Checkpoints the log into the main file. Throws when a part of it stays in the log. */
function checkpoint({ handle }: Connection, mode: 'PASSIVE' | 'TRUNCATE'): void {
  const statement = handle.prepare(`PRAGMA wal_checkpoint(${mode})`);
  try {
    statement.step();
    const [busy, inLog, carried] = statement.get(null, { useBigInt: false });
    if (busy !== 0 || inLog !== carried)
      throw new Error(
        `the log was not carried over whole: ${String(busy)}, ${String(carried)} of ${String(inLog)} pages`,
      );
  } finally {
    statement.free();
  }
}
