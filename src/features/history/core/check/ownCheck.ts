import { t } from '../../../../base/translate';
import type { SqlDatabase } from '../../../../store/engine/sqlDatabase';
import type { SalvagedCopy } from '../../../../store/library/foreignStore';
import { SearchIndex } from '../../../../store/session/tables/searchIndex';
import { checkedRow, fileChecks, sessionFindings, tableChecks } from '../../../../store/session/queries/integrity';
import { StoreError } from '../../../../store/storeError';
import { fileFinding, type Finding } from '../../../../transcript/rules/finding';
import { Findings, type CheckOptions, type CheckResult } from './findings';

export interface OwnCheckOptions extends CheckOptions {
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
