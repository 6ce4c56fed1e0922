import { t } from '../../../base/translate';
import { SearchIndex } from '../../../store/search/searchIndex';
import type { SqlDatabase, SqlRow } from '../../../store/engine/sqlDatabase';
import { readChunkRow } from '../../../store/session/tables/chunkFolding';
import { textOr } from '../../../store/session/tables/columns';
import { readMessageRow } from '../../../store/session/tables/messageRow';
import { fileCheck } from '../../../store/session/queries/integrity';
import type { SalvagedCopy } from '../../../store/library/foreignStore';
import { StoreError } from '../../../store/storeError';
import { answerText } from '../../../transcript/message';
import { checkedSession, cutCallsIn, digestOf, shortened, type CheckedRow } from '../findings/checkedSession';
import { Findings, type CheckCourse, type CheckResult, type Finding } from '../findings/finding';
import { findIn } from '../rules';
import { isScaffoldingText } from '../rules/rowRules';
import { fileRules } from './ownRules';

export interface OwnCheckCourse extends CheckCourse {
  /** Only this session. Default: all, and the file as a whole. */
  readonly sessionId?: string;
}

/** Place of a finding of the file. */
const whole = { sessionId: null, title: null, row: null };

/** Checks a store of the newest schema, session by session. `database` is a private copy: the check of the search index
 *  takes a write transaction. `salvaged`: set when it holds what could be read of a damaged file. Rejects with the
 *  signal's reason when it is stopped. */
export async function checkOwn(
  database: SqlDatabase,
  path: string,
  { signal, onProgress, sessionId }: OwnCheckCourse = {},
  salvaged: SalvagedCopy | null = null,
): Promise<CheckResult> {
  const findings = new Findings();
  if (salvaged !== null) findings.add({ ...whole, id: 'damagedFile', detail: readable(salvaged), steps: [] });
  const sessions = database
    .all('SELECT * FROM sessions WHERE pending IS NULL ORDER BY started_at, id')
    .filter((row) => sessionId === undefined || row['id'] === sessionId);
  let messages = 0;
  for (const [index, row] of sessions.entries()) {
    signal?.throwIfAborted();
    onProgress?.({ done: index, total: sessions.length });
    // Lets a signal arrive.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const session = sessionOf(database, row);
    messages += session.rows.length;
    findIn(session).forEach((one) => findings.add(one));
  }
  const titles = new Map(sessions.map((row) => [textOr(row, 'id', ''), textOr(row, 'title', null)]));
  for (const one of fileFindings(database, titles))
    if (sessionId === undefined || one.sessionId === sessionId) findings.add(one);
  if (sessionId === undefined) indexFindings(database).forEach((one) => findings.add(one));
  return findings.result({ kind: 'own', path, sessions: sessions.length, messages });
}

function readable({ sessions, messages }: SalvagedCopy): string {
  return t('Still readable. Sessions: {sessions}, messages: {messages}.', {
    sessions: String(sessions),
    messages: String(messages),
  });
}

function sessionOf(database: SqlDatabase, row: SqlRow) {
  const id = textOr(row, 'id', '');
  const isImported = textOr(row, 'origin', null) !== null;
  const rows = Array.from(
    database.iterate('SELECT * FROM messages WHERE session_id = ? AND active = 1 ORDER BY position', [id]),
    (message) => rowOf(database, message, isImported),
  );
  const open = database.get("SELECT uid FROM turns WHERE conversation_id = ? AND state <> 'settled'", [
    textOr(row, 'conversation_id', id),
  ]);
  return checkedSession({
    kind: 'own',
    id,
    title: textOr(row, 'title', null),
    isEnded: textOr(row, 'end_reason', null) !== null,
    isContinued: row['end_reason'] === 'compression',
    isImported,
    openTurnUid: open === undefined ? null : textOr(open, 'uid', null),
    rows,
  });
}

function rowOf(database: SqlDatabase, row: SqlRow, isImported: boolean): CheckedRow {
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
    damage: readable ? null : textOr(row, 'content', '').slice(0, 80),
    // The user may say such a thing in a session that was written here.
    isScaffolding: isImported && isScaffoldingText(message.role, answerText(message.parts)),
    isEmpty: false,
  };
}

function fileFindings(database: SqlDatabase, titles: ReadonlyMap<string, string | null>): readonly Finding[] {
  return fileRules.flatMap(({ id, sql, session, steps }) =>
    Array.from(database.iterate(sql), (row) => textOr(row, 'uid', '')).map((uid): Finding => {
      const sessionId = textOr(database.get(session, [uid]) ?? {}, 'id', null);
      const row = uid === sessionId ? null : uid;
      return { id, sessionId, title: titles.get(sessionId ?? '') ?? null, row, detail: null, steps: steps(uid) };
    }),
  );
}

function indexFindings(database: SqlDatabase): readonly Finding[] {
  const found = fileCheck(database).map((detail): Finding => ({ ...whole, id: 'damagedFile', detail, steps: [] }));
  try {
    database.transaction(() => new SearchIndex(database).check());
    return found;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [...found, { ...whole, id: 'indexDrift', detail: null, steps: [{ kind: 'rebuildIndex' }] }];
  }
}
