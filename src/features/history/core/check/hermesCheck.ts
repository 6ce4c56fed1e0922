import { t } from '../../../../base/translate';
import { errorMessage } from '../../../../base/errorMessage';
import { hermesMessages, hermesSchema, hermesSessionRows, newestHermesSchema } from '../sources/hermes/hermesSource';
import { hermesSession } from '../sources/hermes/hermesSession';
import {
  columnsOf,
  rowName,
  rowNumber,
  rowText,
  type ForeignDatabase,
  type ForeignRow,
} from '../sources/reading/foreignDatabase';
import { checkedSession, type CheckedRow } from '../../../../transcript/rules/checkedSession';
import { fileFinding, findInLineage, findInSession, type Finding } from '../../../../transcript/rules/finding';
import type { LineageFacts } from '../../../../transcript/rules/rule';
import { Findings, type CheckOptions, type CheckResult } from './findings';
import { indexDrift } from './hermesIndex';
import { hermesCheckedRow } from './hermesRow';

/** Checks a database of Hermes Agent, session by session. Only reads. Throws an `Error` with a sentence for a database
 *  that holds none, or of a newer version; rejects with the signal's reason when it is stopped. */
export async function checkHermes(
  database: ForeignDatabase,
  path: string,
  { signal, onProgress }: CheckOptions = {},
): Promise<CheckResult> {
  const schema = knownSchema(database);
  const findings = new Findings();
  const sessions = [...hermesSessionRows(database)].flatMap((row) => factsOf(row, path, schema));
  let messages = 0;
  for (const [index, session] of sessions.entries()) {
    signal?.throwIfAborted();
    onProgress?.({ done: index, total: sessions.length });
    // Lets a signal arrive.
    await Promise.resolve();
    const rows = rowsOf(database, path, session, findings);
    messages += rows.length;
    session.hasRows ||= rows.length > 0;
    const checked = checkedSession({ ...session, kind: 'hermes', isImported: true, openTurnUid: null, rows });
    findInSession(checked).forEach((one) => findings.add(one));
  }
  findInLineage('hermes', sessions).forEach((one) => findings.add(one));
  fileFindings(database).forEach((one) => findings.add(one));
  return findings.result({ kind: 'hermes', path, sessions: sessions.length, messages });
}

interface SessionFacts extends LineageFacts {
  readonly title: string | null;
  readonly isEnded: boolean;
  readonly isContinued: boolean;
  hasRows: boolean;
}

function knownSchema(database: ForeignDatabase): number {
  if (!columnsOf(database, 'sessions').has('id') || !columnsOf(database, 'messages').has('session_id'))
    throw new Error(t('The database has no tables of Hermes Agent.'));
  const schema = hermesSchema(database);
  if (schema > newestHermesSchema)
    throw new Error(
      t('The database has schema version {version}. Versions up to {newest} can be read.', {
        version: String(schema),
        newest: String(newestHermesSchema),
      }),
    );
  return schema;
}

function factsOf(row: ForeignRow, path: string, schema: number): readonly SessionFacts[] {
  const session = hermesSession(row, path, schema);
  if (session === null) return [];
  return [
    {
      id: session.id,
      title: session.title,
      parentId: rowName(row, 'parent_session_id'),
      isContinuation: session.lineage?.kind === 'compression',
      isCompressed: rowText(row, 'end_reason') === 'compression',
      counted: session.messageCount,
      hasRows: false,
      isEnded: rowNumber(row, 'ended_at') !== null,
      // Hermes may open any segment again.
      isContinued: false,
    },
  ];
}

function rowsOf(
  database: ForeignDatabase,
  path: string,
  session: SessionFacts,
  findings: Findings,
): readonly CheckedRow[] {
  const rows: CheckedRow[] = [];
  try {
    for (const row of hermesMessages(database, session.id)) {
      session.hasRows = true;
      const checked = hermesCheckedRow(row, path, session.id);
      if (checked !== null) rows.push(checked);
    }
  } catch (error) {
    findings.add({ ...fileFinding('damagedFile', errorMessage(error)), sessionId: session.id, title: session.title });
  }
  return rows;
}

function fileFindings(database: ForeignDatabase): readonly Finding[] {
  const orphans = database.iterate(
    `SELECT session_id AS id, count(*) AS n FROM messages m
     WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = m.session_id) GROUP BY session_id`,
  );
  const found = Array.from(orphans, (row) => ({
    ...fileFinding('orphanRows', String(rowNumber(row, 'n') ?? 0)),
    sessionId: rowText(row, 'id'),
  }));
  const drift = indexDrift(database);
  return drift === 0 ? found : [...found, fileFinding('indexDrift', String(drift))];
}
