import type { SqlDatabase } from '../../engine/sqlDatabase';
import { newerGuard } from '../../engine/sqlFailure';
import { isOnServer } from '../tables/keptElsewhere';
import { columnsWith } from '../tables/rights';
import { hasRow } from '../tables/columns';

/** Columns of `sessions` that describe a conversation and do not belong to its transcript: every segment has the same.
 *  They travel as a document of their own, so that a new title here and a new turn elsewhere are not taken for two
 *  versions of one session. */
export const markColumns = columnsWith('sessions', 'mark');

const tables = `
CREATE TABLE sync_changes (
  change INTEGER PRIMARY KEY AUTOINCREMENT,
  document TEXT NOT NULL UNIQUE,
  conversation_id TEXT NOT NULL,
  at INTEGER NOT NULL DEFAULT (unixepoch())
);
CREATE INDEX sync_changes_conversation ON sync_changes (conversation_id, at);
CREATE TABLE sync_unnoted (
  conversation_id TEXT PRIMARY KEY NOT NULL
) WITHOUT ROWID;
CREATE TABLE sync_conversations (
  conversation_id TEXT PRIMARY KEY NOT NULL,
  version INTEGER NOT NULL DEFAULT 0,
  sent_changes TEXT
) WITHOUT ROWID;
CREATE TABLE sync_forgotten (
  conversation_id TEXT PRIMARY KEY NOT NULL
) WITHOUT ROWID;
`;

/** sync_chain: the last versions that the rows of a conversation went through. sync_heads: what the server has, as far
 *  as it was read; `machine`: that of another store; `is_left`: 1 when this store has nothing to do with it. sync_read:
 *  up to where it was read. sync_marks: columns of marks that were changed here, each with the change that noted it.
 *  sync_erased: conversations that were forgotten on any machine. sync_kept: conversations that were removed here only,
 *  with the one they were removed with (`root`) and the version they had; the server and other machines keep them.
 *  sync_newer and sync_bodies: see `NewerBodies`. sync_self: incarnations of this store; `next_one`:
 *  what the server may have noted. */
const laterTables = [
  `CREATE TABLE IF NOT EXISTS sync_chain (
  conversation_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  tail TEXT NOT NULL,
  PRIMARY KEY (conversation_id, version)
) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS sync_heads (
  conversation_id TEXT PRIMARY KEY NOT NULL,
  version INTEGER NOT NULL,
  tail TEXT,
  machine TEXT,
  is_left INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS sync_read (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  generation TEXT NOT NULL,
  changes INTEGER NOT NULL,
  digest INTEGER NOT NULL
)`,
  `CREATE TABLE IF NOT EXISTS sync_marks (
  conversation_id TEXT NOT NULL,
  mark TEXT NOT NULL,
  change INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, mark)
) WITHOUT ROWID`,
  'CREATE TABLE IF NOT EXISTS sync_erased (conversation_id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID',
  `CREATE TABLE IF NOT EXISTS sync_kept (
  conversation_id TEXT PRIMARY KEY NOT NULL,
  root TEXT NOT NULL,
  version INTEGER NOT NULL
) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS sync_self (
  origin TEXT PRIMARY KEY NOT NULL,
  noted TEXT,
  next_one TEXT
) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS sync_newer (
  conversation_id TEXT PRIMARY KEY NOT NULL,
  store INTEGER NOT NULL
) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS sync_bodies (
  conversation_id TEXT NOT NULL,
  document TEXT NOT NULL,
  store INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (conversation_id, document)
)`,
] as const;

/** Has a row while rows from the server are written: within one transaction, and never after it. */
const receivingTable = 'CREATE TABLE IF NOT EXISTS sync_receiving (only_row INTEGER PRIMARY KEY CHECK (only_row = 1))';

/** Creates the tables of a store that is synchronized, or makes the triggers of an earlier build new. Runs inside its
 *  caller's transaction. */
export function beginSync(database: SqlDatabase): void {
  const isNew = !hasTable(database, 'sync_changes');
  if (isNew) for (const statement of tables.split(';')) if (statement.trim() !== '') database.run(statement);
  for (const statement of [receivingTable, ...laterTables]) database.run(statement);
  makeTriggers(database);
  for (const table of ['sync_positions', 'sync_numbers']) database.run(`DROP TABLE IF EXISTS ${table}`);
  if (isNew) database.run('INSERT INTO sync_unnoted (conversation_id) SELECT DISTINCT conversation_id FROM sessions');
}

function makeTriggers(database: SqlDatabase): void {
  const wanted = triggers(columnsWith('sessions', 'data'));
  const found = database.all(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'sync\\_%' ESCAPE '\\'",
  );
  const isSame = new Set(found.map(({ sql }) => sql));
  if (found.length === wanted.length && wanted.every((sql) => isSame.has(sql))) return;
  for (const { name } of found) database.run(`DROP TRIGGER ${String(name)}`);
  for (const sql of wanted) database.run(sql);
}

/** Notes everything of a conversation as changed. Runs inside its caller's transaction. */
export function noteConversation(database: SqlDatabase, conversationId: string): void {
  const own = 'session_id IN (SELECT id FROM sessions WHERE conversation_id = ?1)';
  for (const [table, document, where] of [
    ['sessions', "'session/' || id", 'conversation_id = ?1'],
    ['sessions', "'marks/' || conversation_id", 'conversation_id = ?1'],
    ['turns', "'turn/' || uid", own],
    ['messages', messageDocument('messages'), own],
    ['approvals', "'turn/' || turn_uid", own],
    ['file_changes', "'turn/' || turn_uid", own],
  ] as const)
    database.run(
      `INSERT OR IGNORE INTO sync_changes (document, conversation_id) SELECT DISTINCT ${document}, ?1 FROM ${table}
       WHERE ${where}`,
      [conversationId],
    );
  database.run('DELETE FROM sync_unnoted WHERE conversation_id = ?', [conversationId]);
}

/** Removes the tables and the triggers again. Runs inside its caller's transaction. */
export function endSync(database: SqlDatabase): void {
  for (const { type, name } of database.all(
    `SELECT type, name FROM sqlite_schema
     WHERE type IN ('trigger', 'table') AND name LIKE 'sync\\_%' ESCAPE '\\' ORDER BY type DESC`,
  ))
    database.run(`DROP ${String(type)} ${String(name)}`);
}

function hasTable(database: SqlDatabase, name: string): boolean {
  return hasRow(database, "SELECT 1 AS n FROM sqlite_schema WHERE type = 'table' AND name = ?", [name]);
}

function messageDocument(row: string): string {
  return `coalesce('turn/' || ${row}.turn_uid, 'message/' || ${row}.uid)`;
}

/** Rows of one table in the triggers. Each function gets `old` or `new`. */
interface NotedRows {
  readonly table: string;
  /** Name of the row's document. */
  readonly document: (row: string) => string;
  /** Query of its conversation. */
  readonly conversation: (row: string) => string;
  /** Columns that name the document. */
  readonly names: readonly string[];
  /** True while changes of the row need no note. */
  readonly isOpen: (row: string) => string;
}

/** Every change of a row that travels is noted in the transaction that makes it, whichever code makes it. Rows that
 *  come from the server are not noted. Nor are the rows of a turn that is open: nothing of its conversation is sent
 *  until it is settled, and its beginning and its end are noted. */
function triggers(session: readonly string[]): readonly string[] {
  const noted = (document: string, conversation: string, where = 'true'): string => `
    DELETE FROM sync_changes WHERE document = ${document} AND ${where};
    INSERT INTO sync_changes (document, conversation_id) SELECT ${document}, conversation_id FROM (${conversation})
    WHERE ${where};`;
  const trigger = (name: string, event: string, when: string, body: string): string =>
    `CREATE TRIGGER sync_${name} AFTER ${event} WHEN NOT EXISTS (SELECT 1 FROM sync_receiving)
     AND ${when} BEGIN ${body} END`;
  const onRows = ({ table, document, conversation, names, isOpen }: NotedRows): readonly string[] => {
    const isMoved = `(${names.map((name) => `old.${name} IS NOT new.${name}`).join(' OR ')})`;
    const note = (row: 'old' | 'new', where?: string): string => noted(document(row), conversation(row), where);
    return [
      trigger(`${table}_insert`, `INSERT ON ${table}`, `NOT ${isOpen('new')}`, note('new')),
      trigger(
        `${table}_update`,
        `UPDATE ON ${table}`,
        `(${isMoved} OR NOT ${isOpen('new')})`,
        note('old', isMoved) + note('new'),
      ),
      trigger(`${table}_delete`, `DELETE ON ${table}`, `NOT ${isOpen('old')}`, note('old')),
    ];
  };
  const ofSession = (row: string): string => `SELECT conversation_id FROM sessions WHERE id = ${row}.session_id`;
  const ofMessage = (row: string): string =>
    `SELECT s.conversation_id FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.uid = ${row}.message_uid`;
  const turnIsOpen = (row: string): string =>
    `EXISTS (SELECT 1 FROM turns WHERE uid = ${row}.turn_uid AND state <> 'settled')`;
  const ofTurn = {
    document: (row: string): string => `'turn/' || ${row}.turn_uid`,
    conversation: ofSession,
    names: ['turn_uid'],
    isOpen: turnIsOpen,
  };
  const onSession = (name: string, event: string, document: string, more = ''): string =>
    trigger(
      `sessions_${name}`,
      `${event} ON sessions`,
      'true',
      noted(document, 'SELECT new.conversation_id AS conversation_id') + more,
    );
  const [sessionRow, marks] = ["'session/' || new.id", "'marks/' || new.conversation_id"];
  // A title belongs to where it came from.
  const isMarked = (mark: string): string =>
    [mark, ...(mark === 'title_source' ? ['title'] : [])].map((of) => `old.${of} IS NOT new.${of}`).join(' OR ');
  const noteMark = (mark: string): string => `
    INSERT OR REPLACE INTO sync_marks (conversation_id, mark, change)
    SELECT conversation_id, '${mark}', change FROM sync_changes WHERE document = ${marks} AND (${isMarked(mark)});`;
  // Before the first look it is not known what the server has: the store may be salvaged.
  const isThere = `${isOnServer('old.conversation_id')}
         OR (old.private = 0 AND NOT EXISTS (SELECT 1 FROM sync_read))`;
  const isKept = 'EXISTS (SELECT 1 FROM sync_kept WHERE conversation_id = old.conversation_id)';
  // Brought back by hand.
  const wanted = `
    UPDATE sync_heads SET is_left = 0 WHERE conversation_id = new.conversation_id
      AND EXISTS (SELECT 1 FROM sync_kept WHERE conversation_id = new.conversation_id);
    DELETE FROM sync_kept WHERE conversation_id = new.conversation_id;`;
  return [
    ...onRows({ ...ofTurn, table: 'messages', document: messageDocument, names: ['turn_uid', 'uid'] }),
    ...onRows({
      table: 'turns',
      document: (row) => `'turn/' || ${row}.uid`,
      conversation: ofSession,
      names: ['uid'],
      isOpen: () => 'false',
    }),
    ...onRows({ ...ofTurn, table: 'approvals' }),
    ...onRows({ ...ofTurn, table: 'file_changes' }),
    ...onRows({
      table: 'message_revisions',
      document: (row) => `(SELECT ${messageDocument('m')} FROM messages m WHERE m.uid = ${row}.message_uid)`,
      conversation: ofMessage,
      names: ['message_uid'],
      isOpen: (row) =>
        `EXISTS (SELECT 1 FROM messages m JOIN turns t ON t.uid = m.turn_uid
         WHERE m.uid = ${row}.message_uid AND t.state <> 'settled')`,
    }),
    // Its other rows were deleted before.
    `CREATE TRIGGER sync_sessions_deleted AFTER DELETE ON sessions
     WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE conversation_id = old.conversation_id) BEGIN
       INSERT OR IGNORE INTO sync_forgotten (conversation_id) SELECT old.conversation_id
         WHERE NOT ${isKept} AND (${isThere});
       DELETE FROM sync_conversations WHERE conversation_id = old.conversation_id AND ${isKept};
       DELETE FROM sync_chain WHERE conversation_id = old.conversation_id AND ${isKept};
       DELETE FROM sync_changes WHERE conversation_id = old.conversation_id;
       DELETE FROM sync_unnoted WHERE conversation_id = old.conversation_id;
       DELETE FROM sync_newer WHERE conversation_id = old.conversation_id;
       DELETE FROM sync_bodies WHERE conversation_id = old.conversation_id;
     END`,
    onSession('made', 'INSERT', sessionRow, wanted),
    onSession('marks_made', 'INSERT', marks),
    onSession('changed', `UPDATE OF ${session.join(', ')}`, sessionRow),
    onSession('marked', `UPDATE OF ${markColumns.join(', ')}`, marks, markColumns.map(noteMark).join('')),
    ...guards(),
  ];
}

/** Refuse what would change the transcript of a conversation that a newer build continued. Its rows can be erased. */
function guards(): readonly string[] {
  const guard = (name: string, event: string, conversation: string): string =>
    `CREATE TRIGGER sync_newer_${name} BEFORE ${event}
     WHEN EXISTS (SELECT 1 FROM sync_newer) AND NOT EXISTS (SELECT 1 FROM sync_receiving)
     AND EXISTS (SELECT 1 FROM sync_newer WHERE conversation_id = ${conversation})
     BEGIN SELECT RAISE(ABORT, '${newerGuard}'); END`;
  const ofMessage = '(SELECT conversation_id FROM sessions WHERE id = new.session_id)';
  return [
    guard('session', 'INSERT ON sessions', 'new.conversation_id'),
    guard('turn', 'INSERT ON turns', 'new.conversation_id'),
    guard('message', 'INSERT ON messages', ofMessage),
    guard('change', 'UPDATE OF active, parts ON messages', ofMessage),
  ];
}
