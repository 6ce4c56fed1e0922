import { closeSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { broughtUpToDate, readOnly, type ReadingDeps } from '../../store/library/foreignStore';
import { problemText, sessionsOf } from '../../store/library/library';
import { copyDatabase } from '../../store/library/storeCopy';
import { applicationId, headerSize, parseHeader } from '../../store/open/fileHeader';
import { logOf } from '../../store/open/storeFiles';
import { StoreError } from '../../store/storeError';
import { isExport } from '../sources/hermesExport/exportReading';
import { storeOfExport, type ExportCopy } from './exportImport';

/** True for a file with rows of our store: a `state.db` or an export. False for a file that cannot be opened. */
export function isOwnFile(path: string): boolean {
  return isExport(path) || isOwnStore(path);
}

/** Makes a private store with the rows of a file for which `isOwnFile` is true. Throws a `StoreError` with a sentence
 *  about the file when it is damaged or of a later version. */
export function copyOfOwnFile(deps: ReadingDeps, path: string): ExportCopy {
  return isExport(path) ? storeOfExport(deps, path) : copyOfStoreFile(deps, path);
}

function copyOfStoreFile(deps: ReadingDeps, path: string): ExportCopy {
  try {
    const from = { folder: dirname(path), main: path, log: logOf(path) };
    const copy = broughtUpToDate(deps, copyDatabase(deps, from));
    try {
      const { sessionIds } = readOnly(deps, copy.folder, (database) => sessionsOf(database, null));
      return { ...copy, sessionIds };
    } catch (error) {
      copy.remove();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof StoreError) || error.causeClass === 'full') throw error;
    // Other usual sentences are about the file that the window writes.
    throw new StoreError(error.causeClass, problemText(error), error.technical);
  }
}

function isOwnStore(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const header = new Uint8Array(headerSize);
      readSync(file, header, 0, headerSize, 0);
      return parseHeader(header)?.applicationId === applicationId;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}
