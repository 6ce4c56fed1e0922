import { dirname } from 'node:path';
import { broughtUpToDate, readOnly, type ReadingDeps } from '../../../../store/library/foreignStore';
import { problemText, sessionsOf } from '../../../../store/library/library';
import { copyDatabase } from '../../../../store/library/storeCopy';
import { applicationId, headerSize, parseHeader } from '../../../../store/open/fileHeader';
import { logOf } from '../../../../store/open/storeFiles';
import { StoreError } from '../../../../store/storeError';
import { beginning, type HistoryFiles } from '../sources/reading/historyFiles';
import { isExport } from '../sources/hermesExport/exportReading';
import { storeOfExport, type ExportCopy } from './exportImport';

/** What a file with rows of our store is: a `state.db` or an export. Null for another file, and for one that cannot be
 *  opened. */
async function ownKind(files: HistoryFiles, path: string): Promise<'store' | 'export' | null> {
  if (await isExport(files, path)) return 'export';
  const isStore = parseHeader(await beginning(files, path, headerSize))?.applicationId === applicationId;
  return isStore ? 'store' : null;
}

export async function isOwnFile(files: HistoryFiles, path: string): Promise<boolean> {
  return (await ownKind(files, path)) !== null;
}

/** Makes a private store with the rows of a file; null when it is none of ours. Throws a `StoreError` with a sentence
 *  about the file when it is damaged or of a later version. */
export async function copyOfOwnFile(
  deps: ReadingDeps & { readonly files: HistoryFiles },
  path: string,
): Promise<ExportCopy | null> {
  const kind = await ownKind(deps.files, path);
  if (kind === null) return null;
  return kind === 'export' ? storeOfExport(deps, path) : copyOfStoreFile(deps, path);
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
