import type { ReadingDeps } from '../../../../store/library/foreignStore';
import { storeError } from '../../../../store/engine/sqlFailure';
import { filledCopy, type StoreCopy } from '../../../../store/library/storeCopy';
import { openDatabase } from '../../../../store/open/openDatabase';
import { migrate } from '../../../../store/schema/migrations';
import { createSessionDb, type SessionDb } from '../../../../store/session/sessionDb';
import { StoreError } from '../../../../store/storeError';
import type { Skipped } from '../sources/foreign';
import { noSession } from '../../../../transcript/sourceTitles';
import type { HistoryFiles } from '../sources/reading/historyFiles';
import type { OpenForeignDatabase } from '../sources/reading/foreignDatabase';
import { HistoryImport } from './historyImport';
import type { ImportOptions, ImportTarget } from './importing';
import { copyOfOwnFile } from './ownFiles';

export interface FileCopyDeps extends ReadingDeps {
  readonly files: HistoryFiles;
  readonly openForeign: OpenForeignDatabase;
}

/** A private store with the sessions of one file. */
interface FileCopy extends StoreCopy {
  /** Of a file with rows of our store: its sessions, parents before their children. Null for another program's. */
  readonly sessionIds: readonly string[] | null;
}

/** Makes a private store of the sessions in a file, which is only read. The content of the file decides how it is read.
 *  Throws a `StoreError` with a sentence for a file that holds no session or cannot be read. Rejects with the signal's
 *  reason when it is stopped. Nothing is left behind in either case. */
export async function copyOfFile(deps: FileCopyDeps, path: string, options: ImportOptions = {}): Promise<FileCopy> {
  options.signal?.throwIfAborted();
  if (deps.fileSystem.stat(path) === undefined) throw storeError('not-found', `there is no ${path}`);
  const own = await copyOfOwnFile(deps, path);
  if (own !== null) return own;
  const copy = filledCopy(deps, path, (folder) => openCopy(deps, folder).close());
  try {
    await importInto(deps, copy.folder, path, options);
    return { ...copy, sessionIds: null };
  } catch (error) {
    copy.remove();
    throw error;
  }
}

async function importInto(deps: FileCopyDeps, folder: string, path: string, options: ImportOptions): Promise<void> {
  const { files, openForeign, now } = deps;
  const { signal } = options;
  const database = openCopy(deps, folder);
  try {
    const db = createSessionDb({ database, now, fileSizes: () => database.sizes() });
    const importer = new HistoryImport({ files, openForeign, target: targetOf(db), now });
    const scan = await importer.scan({ chosen: [path] }, signal === undefined ? {} : { signal });
    if (scan.sessions.length === 0) throw unreadable(path, scan.problems[0]?.reason ?? reasonOf(scan.skipped[0]));
    const { entries, counts } = await importer.run(scan.sessions, options);
    signal?.throwIfAborted();
    if (counts.imported === 0) throw unreadable(path, entries.find((entry) => entry.reason !== null)?.reason ?? null);
  } finally {
    database.close();
  }
}

function openCopy(deps: ReadingDeps, folder: string): ReturnType<typeof openDatabase>['database'] {
  const { database } = openDatabase({ ...deps, folder });
  try {
    migrate(database);
    return database;
  } catch (error) {
    database.abandon();
    throw error;
  }
}

/** The store as an import sees it, in the same thread. */
export function targetOf(db: SessionDb): ImportTarget {
  return {
    importStates: async (ids) => db.importStates(ids),
    beginImport: async (input) => db.beginImport(input),
    importWhole: async (input) => db.importWhole(input),
    addImported: async (batch) => db.addImported(batch),
    finishImport: async (input) => db.finishImport(input),
    discardImport: async (id) => db.discardImport(id),
    extendImport: async (input) => db.extendImport(input),
  };
}

/** Reasons other than damage say what the content is not. */
function reasonOf(skipped: Skipped | undefined): string | null {
  if (skipped === undefined || skipped.kind === 'damaged' || skipped.reason === noSession())
    return skipped?.reason ?? null;
  return `${noSession()} ${skipped.reason}`;
}

function unreadable(path: string, reason: string | null): StoreError {
  return new StoreError('invalid', reason ?? noSession(), `${path} holds no session that can be read`);
}
