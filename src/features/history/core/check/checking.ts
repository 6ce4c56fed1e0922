import { dirname } from 'node:path';
import { FileSystemError, type FileSystem } from '../../../../store/engine/fileSystem';
import { openForeignDatabase, type ForeignDeps } from '../../../../store/library/foreignDatabase';
import { onReadableCopy, type ReadingDeps, type SalvagedCopy } from '../../../../store/library/foreignStore';
import { copyDatabase, copyStore, type StoreCopy } from '../../../../store/library/storeCopy';
import { firstPageOf } from '../../../../store/open/damagedCopy';
import { applicationId, parseHeader } from '../../../../store/open/fileHeader';
import { openDatabase } from '../../../../store/open/openDatabase';
import { logOf } from '../../../../store/open/storeFiles';
import { schemaVersion } from '../../../../store/schema/migrations';
import { type CheckResult, Findings, type CheckOptions } from './findings';
import { checkHermes } from './hermesCheck';

import { t } from '../../../../base/translate';
import type { SqlDatabase } from '../../../../store/engine/sqlDatabase';
import { SearchIndex } from '../../../../store/session/tables/searchIndex';
import { checkedRow, fileChecks, sessionFindings, tableChecks } from '../../../../store/session/queries/integrity';
import { StoreError } from '../../../../store/storeError';
import { fileFinding, type Finding } from '../../../../transcript/rules/finding';

/** Checks a private copy of the store in a folder, while a window may have it open. Writes nothing there. */
export async function checkStore(deps: ReadingDeps, folder: string, options?: OwnCheckOptions): Promise<CheckResult> {
  return checkCopy(deps, () => copyStore(deps, folder), folder, options);
}

/** Checks a private copy of a database of either kind, by its content. A store's file may have another name. Writes
 *  nothing beside it. */
export async function checkFile(
  deps: ReadingDeps & ForeignDeps,
  path: string,
  options?: OwnCheckOptions,
): Promise<CheckResult> {
  if (!isStore(deps.fileSystem, path)) {
    const database = openForeignDatabase(deps, path);
    try {
      return await checkHermes(database, path, options);
    } finally {
      database.close();
    }
  }
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

interface OwnCheckOptions extends CheckOptions {
  /** Only this session. Default: all, and the file as a whole. */
  readonly sessionId?: string;
}

/** Checks a store of the newest schema, session by session. `database` is a private copy: the check of the search index
 *  takes a write transaction. `salvaged`: set when it holds what could be read of a damaged file. Rejects with the
 *  signal's reason when it is stopped. */
export async function checkOwn(
  database: SqlDatabase,
  path: string,
  { signal, onProgress, sessionId }: OwnCheckOptions = {},
  salvaged: SalvagedCopy | null = null,
): Promise<CheckResult> {
  const findings = new Findings();
  if (salvaged !== null) findings.add(fileFinding('damagedFile', readable(salvaged)));
  const sessions = database
    .all('SELECT * FROM sessions WHERE pending IS NULL ORDER BY started_at, id')
    .filter((row) => sessionId === undefined || row['id'] === sessionId);
  let messages = 0;
  for (const [index, session] of sessions.entries()) {
    signal?.throwIfAborted();
    onProgress?.({ done: index, total: sessions.length });
    // Lets a signal arrive.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const rows = Array.from(
      database.iterate('SELECT * FROM messages WHERE session_id = ? AND active = 1 ORDER BY position', [
        session['id'] ?? null,
      ]),
      (row) => checkedRow(database, session, row),
    );
    messages += rows.length;
    sessionFindings(database, session, rows).forEach((one) => findings.add(one));
  }
  for (const check of sessionId === undefined ? [...fileChecks, ...tableChecks] : tableChecks)
    for (const one of check(database)) if (sessionId === undefined || one.sessionId === sessionId) findings.add(one);
  if (sessionId === undefined) indexFindings(database).forEach((one) => findings.add(one));
  return findings.result({ kind: 'own', path, sessions: sessions.length, messages });
}

function readable({ sessions, messages }: SalvagedCopy): string {
  return t('Still readable. Sessions: {sessions}, messages: {messages}.', {
    sessions: String(sessions),
    messages: String(messages),
  });
}

function indexFindings(database: SqlDatabase): readonly Finding[] {
  try {
    database.transaction(() => new SearchIndex(database).check());
    return [];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [fileFinding('indexDrift', null, [{ kind: 'rebuildIndex' }])];
  }
}
