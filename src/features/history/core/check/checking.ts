import { dirname } from 'node:path';
import { FileSystemError, type FileSystem } from '../../../../store/engine/fileSystem';
import { openForeignDatabase, type ForeignDeps } from '../../../../store/library/foreignDatabase';
import { onReadableCopy, type ReadingDeps } from '../../../../store/library/foreignStore';
import { copyDatabase, copyStore, type StoreCopy } from '../../../../store/library/storeCopy';
import { firstPageOf } from '../../../../store/open/damagedCopy';
import { applicationId, parseHeader } from '../../../../store/open/fileHeader';
import { openDatabase } from '../../../../store/open/openDatabase';
import { logOf } from '../../../../store/open/storeFiles';
import { schemaVersion } from '../../../../store/schema/migrations';
import type { CheckResult } from './findings';
import { checkHermes } from './hermesCheck';
import { checkOwn, type OwnCheckOptions } from './ownCheck';

type HermesCheckDeps = ReadingDeps & ForeignDeps;

/** Checks a private copy of the store in a folder, while a window may have it open. Writes nothing there. */
export async function checkStore(deps: ReadingDeps, folder: string, options?: OwnCheckOptions): Promise<CheckResult> {
  return checkCopy(deps, () => copyStore(deps, folder), folder, options);
}

/** Checks a private copy of a database of either kind, by its content. A store's file may have another name. Writes
 *  nothing beside it. */
export async function checkFile(deps: HermesCheckDeps, path: string, options?: OwnCheckOptions): Promise<CheckResult> {
  if (!isStore(deps.fileSystem, path)) return checkHermesFile(deps, path, options);
  const files = { folder: dirname(path), main: path, log: logOf(path) };
  return checkCopy(deps, () => copyDatabase(deps, files), path, options);
}

function isStore(fileSystem: FileSystem, path: string): boolean {
  try {
    return parseHeader(firstPageOf(fileSystem, path))?.applicationId === applicationId;
  } catch (error) {
    // Opening the file says what is wrong with it.
    if (error instanceof FileSystemError) return false;
    throw error;
  }
}

/** `path` names the original in the result. */
function checkCopy(
  deps: ReadingDeps,
  makeCopy: () => StoreCopy,
  path: string,
  options: OwnCheckOptions = {},
): Promise<CheckResult> {
  const { sqlite, fileSystem, now } = deps;
  return onReadableCopy(deps, makeCopy, async (folder, salvaged) => {
    const assertOwned = (): void => undefined;
    const { database } = openDatabase({ sqlite, fileSystem, now, folder, schemaVersion, assertOwned });
    try {
      return await checkOwn(database, path, options, salvaged);
    } finally {
      database.abandon();
    }
  });
}

/** Checks a private copy of a `state.db` of Hermes Agent. Writes nothing beside it. */
export async function checkHermesFile(
  deps: HermesCheckDeps,
  path: string,
  options?: OwnCheckOptions,
): Promise<CheckResult> {
  const database = openForeignDatabase(deps, path);
  try {
    return await checkHermes(database, path, options);
  } finally {
    database.close();
  }
}
