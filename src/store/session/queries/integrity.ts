import { createHash } from 'node:crypto';
import { answerText, type Message } from '../../../transcript/message';
import {
  checkedSession,
  cutCallsIn,
  isScaffoldingText,
  shortened,
  type CheckedRow,
} from '../../../transcript/rules/checkedSession';
import { fileFinding, findInLineage, findInSession, type Finding } from '../../../transcript/rules/finding';
import type { Rule, TableQuery } from '../../../transcript/rules/rule';
import { namedRules, type RuleName, rules } from '../../../transcript/rules/rules';
import type { SqlDatabase, SqlRow } from '../../engine/sqlDatabase';
import { readChunkRow } from '../tables/chunkFolding';
import { readBoolean, readInteger, readText } from '../tables/columns';
import { hashOf, unpacked } from '../tables/fileChangeTable';
import { readMessageRow } from '../tables/messageRow';

/** Damage in the rows of one session, by the rules. `rows`: its active rows in order, as `checkedRow` reads them. */
export function sessionFindings(
  database: SqlDatabase,
  session: SqlRow,
  rows: readonly CheckedRow[],
): readonly Finding[] {
  const id = readText(session, 'id', '');
  const open = database.get("SELECT uid FROM turns WHERE conversation_id = ? AND state <> 'settled'", [
    readText(session, 'conversation_id', id),
  ]);
  return findInSession(
    checkedSession({
      kind: 'own',
      id,
      title: readText(session, 'title', null),
      isEnded: readText(session, 'end_reason', null) !== null,
      isContinued: session['end_reason'] === 'compression',
      isImported: isImported(session),
      openTurnUid: open === undefined ? null : readText(open, 'uid', null),
      rows,
    }),
  );
}

/** A row of `messages` as the rules see it. */
export function checkedRow(database: SqlDatabase, session: SqlRow, row: SqlRow): CheckedRow {
  const chunks =
    row['state'] === 'streaming'
      ? database
          .all('SELECT * FROM stream_chunks WHERE message_uid = ? ORDER BY seq', [row['uid'] ?? null])
          .map(readChunkRow)
      : [];
  const { message, readable } = readMessageRow(row, chunks);
  return {
    id: message.uid,
    message: shortened(message),
    digest: digestOf(message.role, message.parts),
    cutCalls: cutCallsIn(message.parts),
    damage: readable ? null : readText(row, 'content', '').slice(0, 80),
    // The user may say such a thing in a session that was written here.
    isScaffolding: isImported(session) && isScaffoldingText(message.role, answerText(message.parts)),
    isEmpty: false,
  };
}

function isImported(session: SqlRow): boolean {
  return readText(session, 'origin', null) !== null;
}

export function digestOf(role: Message['role'], content: unknown): string {
  return createHash('sha1')
    .update(JSON.stringify([role, content]))
    .digest('base64');
}

/** SQLite's own check of the file. Excludes its findings on the full-text index: that is checked separately, because it
 *  can be rebuilt. */
export function fileCheck(database: SqlDatabase): readonly string[] {
  return database
    .all('PRAGMA integrity_check')
    .flatMap((row) => Object.values(row))
    .filter((line): line is string => typeof line === 'string' && line !== 'ok' && !line.includes('messages_fts'));
}

type Check = (database: SqlDatabase) => readonly Finding[];

const lineageCheck: Check = (database) =>
  findInLineage(
    'own',
    database
      .all(
        `SELECT id, title, parent_session_id, parent_kind = 'compression' AS continues,
           end_reason = 'compression' AS is_compressed,
           -- A continuation begins with its summary.
           EXISTS (SELECT 1 FROM messages h WHERE h.session_id = s.id AND h.display_kind = 'handoff' AND h.content <> '')
             OR NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id AND p.end_reason = 'compression')
             AS has_rows
         FROM sessions s`,
      )
      .map((row) => ({
        id: readText(row, 'id', ''),
        title: readText(row, 'title', null),
        // A branch or a sub-agent's session may be here without the session that it began in.
        parentId: readBoolean(row, 'continues') ? readText(row, 'parent_session_id', null) : null,
        isContinuation: readBoolean(row, 'continues'),
        isCompressed: readBoolean(row, 'is_compressed'),
        // Another rule counts.
        counted: null,
        hasRows: readBoolean(row, 'has_rows'),
      })),
  );

/** Stored file contents must match their hash; otherwise a revert would write wrong content. */
const contentCheck: Check = (database) => {
  const broken: Finding[] = [];
  for (const row of database.iterate('SELECT * FROM file_contents')) {
    const bytes = unpacked(row);
    const hash = readText(row, 'hash', '?');
    if (bytes === null || hashOf(bytes) !== hash || bytes.length !== readInteger(row, 'size', -1))
      broken.push(fileFinding('brokenContent', hash));
  }
  return broken;
};

const sessionOf: { readonly [P in TableQuery['subject']]: string | null } = {
  session: 'SELECT id, title FROM (SELECT ? AS id) LEFT JOIN sessions USING (id)',
  message:
    'SELECT session_id AS id, s.title FROM messages m LEFT JOIN sessions s ON s.id = m.session_id WHERE m.uid = ?',
  turn: 'SELECT session_id AS id, s.title FROM turns m LEFT JOIN sessions s ON s.id = m.session_id WHERE m.uid = ?',
  approval:
    'SELECT session_id AS id, s.title FROM approvals m LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id = ?',
  other: null,
};

function tableCheck(id: RuleName, { sql, subject, mends }: TableQuery): Check {
  return (database) =>
    database.all(sql).map((found) => {
      const uid = readText(found, 'uid', '?');
      const lookUp = sessionOf[subject];
      const session = lookUp === null ? undefined : database.get(lookUp, [uid]);
      if (session === undefined) return fileFinding(id, uid, mends(uid, ''));
      const sessionId = readText(session, 'id', '');
      return {
        id,
        sessionId,
        title: readText(session, 'title', null),
        row: subject === 'session' ? null : uid,
        detail: null,
        steps: mends(uid, sessionId),
      };
    });
}

/** Checks of the file, without its sessions. Each may take seconds on a large one. */
export const fileChecks: readonly Check[] = [
  (database) => fileCheck(database).map((detail) => fileFinding('damagedFile', detail)),
  contentCheck,
];

/** What one rule finds in the tables. */
export function findingsOf(database: SqlDatabase, name: RuleName): readonly Finding[] {
  return (rules[name] as Rule).inTables?.flatMap((query) => tableCheck(name, query)(database)) ?? [];
}

/** The rules over all sessions, each with one query. */
export const tableChecks: readonly Check[] = [
  lineageCheck,
  ...namedRules.flatMap(([name, { inTables = [] }]) => inTables.map((query) => tableCheck(name, query))),
];
