import { errorMessage } from '../../../../base/errorMessage';
import { hermesMessages, hermesSession, hermesSessionRows, knownSchema } from '../sources/hermes/hermesSource';
import { nameOf, numberOf, textOf } from '../sources/reading/fields';
import { columnsOf, type ForeignDatabase, type ForeignRow } from '../sources/reading/foreignDatabase';
import {
  checkedSession,
  type CheckedRow,
  cutCallsIn,
  isScaffoldingText,
  shortened,
} from '../../../../transcript/rules/checkedSession';
import { fileFinding, findInLineage, findInSession, type Finding } from '../../../../transcript/rules/finding';
import type { LineageFacts } from '../../../../transcript/rules/rule';
import { Findings, type CheckOptions, type CheckResult } from './findings';

import type { Message } from '../../../../transcript/message';
import type { AssistantPart, TextPart, ToolResultPart } from '../../../../transcript/part';
import { hermesMessage } from '../sources/hermes/hermesMessage';
import { digestOf } from '../../../../store/session/queries/integrity';
import type { ForeignPart } from '../sources/foreign';
/** A full-text index of Hermes Agent, and the view that it indexes. Versions before 23 have no view: their triggers
 *  index every message. The trigram index leaves out results of tools, and sessions of cron and sub-agents: its view
 *  says exactly which. */
const indexes = [
  { table: 'messages_fts', view: 'messages_fts_src' },
  { table: 'messages_fts_trigram', view: 'messages_fts_trigram_src' },
] as const;

/** Rows that are in only one of the transcript and a search index of it, in all indexes together. */
function indexDrift(database: ForeignDatabase): number {
  return indexes.reduce((sum, index) => sum + driftOf(database, index), 0);
}

/** During a rebuild (`fts_rebuild_…`) a row is expected in the index when the rebuild has passed it, or when it is
 *  newer than the rebuild. */
function driftOf(database: ForeignDatabase, { table, view }: (typeof indexes)[number]): number {
  const indexed = `${table}_docsize`;
  if (!columnsOf(database, indexed).has('id') || !columnsOf(database, 'messages').has('id')) return 0;
  const source = columnsOf(database, view).has('id') ? view : 'messages';
  const [passed, begun] = ['fts_rebuild_progress', 'fts_rebuild_high_water'].map((key) => metaNumber(database, key));
  const isExpected = begun === null || begun === undefined ? '1' : `(m.id <= ${passed ?? 0} OR m.id > ${begun})`;
  const [row] = database.iterate(
    `SELECT (SELECT count(*) FROM ${source} m
     WHERE ${isExpected} AND NOT EXISTS (SELECT 1 FROM ${indexed} d WHERE d.id = m.id))
       + (SELECT count(*) FROM ${indexed} d WHERE d.id NOT IN (SELECT m.id FROM ${source} m)) AS n`,
  );
  return (row === undefined ? null : numberOf(row, 'n')) ?? 0;
}

function metaNumber(database: ForeignDatabase, key: string): number | null {
  if (!columnsOf(database, 'state_meta').has('value')) return null;
  const [row] = database.iterate('SELECT CAST(value AS INTEGER) AS n FROM state_meta WHERE key = ?', [key]);
  return row === undefined ? null : numberOf(row, 'n');
}

/** Checks a database of Hermes Agent, session by session. Only reads. Throws an `Error` with a sentence for a database
 *  that holds none, or of a newer version; rejects with the signal's reason when it is stopped. */
export async function checkHermes(
  database: ForeignDatabase,
  path: string,
  { signal, onProgress }: CheckOptions = {},
): Promise<CheckResult> {
  const schema = knownSchema(database);
  if (typeof schema === 'string') throw new Error(schema);
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

function factsOf(row: ForeignRow, path: string, schema: number): readonly SessionFacts[] {
  const session = hermesSession(row, path, schema);
  if (session === null) return [];
  return [
    {
      id: session.id,
      title: session.title,
      parentId: nameOf(row, 'parent_session_id'),
      isContinuation: session.lineage?.kind === 'compression',
      isCompressed: textOf(row, 'end_reason') === 'compression',
      counted: session.messageCount,
      hasRows: false,
      isEnded: numberOf(row, 'ended_at') !== null,
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
    ...fileFinding('orphanRows', String(numberOf(row, 'n') ?? 0)),
    sessionId: textOf(row, 'id'),
  }));
  const drift = indexDrift(database);
  return drift === 0 ? found : [...found, fileFinding('indexDrift', String(drift))];
}

/** A row of `messages` that a model gets; null for any other. A row that can't be read is in its place, without
 *  content. */
function hermesCheckedRow(row: ForeignRow, path: string, sessionId: string): CheckedRow | null {
  const number = numberOf(row, 'id') ?? 0;
  const role = textOf(row, 'role');
  if (role === 'system' || numberOf(row, 'active') === 0) return null;
  const read = hermesMessage(row, { path, unit: 'row', number }, true);
  const content = textOf(row, 'content') ?? '';
  const parts = read.kind === 'message' ? read.message.parts : [];
  const message = asMessage(row, `row ${number}`, sessionId, parts);
  const isEmpty =
    role === 'assistant' && content.trim() === '' && nameOf(row, 'tool_calls') === null && parts.length === 0;
  const damage = read.kind === 'message' ? (read.message.omitted?.[0] ?? null) : read.reason;
  return {
    id: String(number),
    message: shortened(message),
    digest: digestOf(message.role, parts),
    cutCalls: cutCallsIn(message.parts),
    damage: isEmpty ? null : (damage ?? (isUtf8(row['content']) ? null : '')),
    isScaffolding: isScaffoldingText(message.role, content),
    isEmpty,
  };
}

function asMessage(row: ForeignRow, uid: string, sessionId: string, parts: readonly ForeignPart[]): Message {
  const base = {
    uid,
    sessionId,
    turnUid: null,
    position: numberOf(row, 'id') ?? 0,
    createdAt: numberOf(row, 'timestamp') ?? 0,
    visibility: { kind: 'shown' },
    carriedFrom: null,
  } as const;
  const role = textOf(row, 'role');
  if (role === 'tool') {
    const result = parts.find((part): part is ToolResultPart => part.kind === 'toolResult');
    const callId = nameOf(row, 'tool_call_id') ?? '';
    return {
      ...base,
      role,
      parts: [result ?? { kind: 'toolResult', callId, name: '', outcome: 'failed', text: '' }],
    };
  }
  if (role === 'user')
    return { ...base, role, parts: parts.filter((part) => part.kind === 'text' || part.kind === 'image') };
  const answer = parts.filter(
    (part): part is AssistantPart => part.kind === 'text' || part.kind === 'thinking' || part.kind === 'toolCall',
  );
  const unread: TextPart = { kind: 'text', text: '' };
  return {
    ...base,
    role: 'assistant',
    parts: answer.length === 0 ? [unread] : answer,
    state: 'final',
    lastSeq: 0,
    model: null,
    finishReason: nameOf(row, 'finish_reason'),
    usage: null,
  };
}

function isUtf8(value: ForeignRow[string] | undefined): boolean {
  if (!(value instanceof Uint8Array)) return true;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(value);
    return true;
  } catch {
    return false;
  }
}
