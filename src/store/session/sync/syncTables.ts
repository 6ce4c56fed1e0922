import type { SqlDatabase } from '../../engine/sqlDatabase';

/** Columns of `sessions` that describe a conversation and do not belong to its transcript: every segment has the same. They
 *  travel as a document of their own, so that a new title here and a new turn elsewhere are not taken for two versions of one session. */
export const markColumns = ['title', 'title_source', 'pinned', 'archived', 'trashed_at', 'effort'] as const;

/** Columns of `sessions` that belong to this store alone: marks of this machine, counts that triggers keep, and how freely the
 *  agent may act, which only the user of this machine decides. */
export const ownColumns = [
  'mode',
  'seen_at',
  'pending',
  'private',
  'message_count',
  'tool_call_count',
  'turn_count',
] as const;

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
  sending INTEGER,
  sent_changes TEXT,
  due INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE sync_positions (
  origin TEXT PRIMARY KEY NOT NULL,
  position INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE sync_forgotten (
  conversation_id TEXT PRIMARY KEY NOT NULL
) WITHOUT ROWID;
`;

/** Creates the tables of a store that is synchronized. Runs inside its caller's transaction. Does nothing in a store that has
 *  them. */
export function beginSync(database: SqlDatabase): void {
  if (isSynced(database)) return;
  for (const statement of tables.split(';')) if (statement.trim() !== '') database.run(statement);
  for (const statement of triggers(sessionColumns(database))) database.run(statement);
  database.run('INSERT INTO sync_unnoted (conversation_id) SELECT DISTINCT conversation_id FROM sessions');
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
      `INSERT OR IGNORE INTO sync_changes (document, conversation_id) SELECT DISTINCT ${document}, ?1 FROM ${table} WHERE ${where}`,
      [conversationId],
    );
  database.run('DELETE FROM sync_unnoted WHERE conversation_id = ?', [conversationId]);
}

/** Removes the tables and the triggers again. Runs inside its caller's transaction. */
export function endSync(database: SqlDatabase): void {
  for (const { type, name } of database.all(
    "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'table') AND name LIKE 'sync\\_%' ESCAPE '\\' ORDER BY type DESC",
  ))
    database.run(`DROP ${String(type)} ${String(name)}`);
}

function isSynced(database: SqlDatabase): boolean {
  return database.get("SELECT 1 AS n FROM sqlite_schema WHERE type = 'table' AND name = 'sync_changes'") !== undefined;
}

/** Columns of `sessions` that travel as part of the transcript. */
export function sessionColumns(database: SqlDatabase): readonly string[] {
  const others: ReadonlySet<unknown> = new Set<string>([...markColumns, ...ownColumns]);
  return database
    .all('PRAGMA table_info(sessions)')
    .map((column) => String(column['name']))
    .filter((name) => !others.has(name));
}

function messageDocument(row: string): string {
  return `coalesce('turn/' || ${row}.turn_uid, 'message/' || ${row}.uid)`;
}

/** Every change of a row that travels is noted in the transaction that makes it, whichever code makes it. */
function triggers(session: readonly string[]): readonly string[] {
  const noted = (document: string, conversation: string): string => `
    DELETE FROM sync_changes WHERE document = ${document};
    INSERT INTO sync_changes (document, conversation_id) SELECT ${document}, conversation_id FROM (${conversation});`;
  const ofSession = (row: string): string => `SELECT conversation_id FROM sessions WHERE id = ${row}.session_id`;
  const onRows = (table: string, document: (row: string) => string, conversation: (row: string) => string): string[] =>
    (['INSERT', 'UPDATE', 'DELETE'] as const).map((event) => {
      const rows = event === 'INSERT' ? ['new'] : event === 'DELETE' ? ['old'] : ['old', 'new'];
      const body = rows.map((row) => noted(document(row), conversation(row))).join('');
      return `CREATE TRIGGER sync_${table}_${event.toLowerCase()} AFTER ${event} ON ${table} BEGIN ${body} END`;
    });
  const ofMessage = (row: string): string =>
    `SELECT s.conversation_id FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.uid = ${row}.message_uid`;
  const onSession = (name: string, event: string, document: string): string =>
    `CREATE TRIGGER sync_sessions_${name} AFTER ${event} ON sessions BEGIN ${noted(document, 'SELECT new.conversation_id AS conversation_id')} END`;
  const [sessionRow, marks] = ["'session/' || new.id", "'marks/' || new.conversation_id"];
  return [
    ...onRows('messages', messageDocument, ofSession),
    ...onRows('turns', (row) => `'turn/' || ${row}.uid`, ofSession),
    ...onRows('approvals', (row) => `'turn/' || ${row}.turn_uid`, ofSession),
    ...onRows('file_changes', (row) => `'turn/' || ${row}.turn_uid`, ofSession),
    ...onRows(
      'message_revisions',
      (row) =>
        `(SELECT coalesce('turn/' || m.turn_uid, 'message/' || m.uid) FROM messages m WHERE m.uid = ${row}.message_uid)`,
      ofMessage,
    ),
    // Its other rows were deleted before.
    `CREATE TRIGGER sync_sessions_deleted AFTER DELETE ON sessions
     WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE conversation_id = old.conversation_id) BEGIN
       INSERT OR IGNORE INTO sync_forgotten (conversation_id) SELECT conversation_id FROM sync_conversations
         WHERE conversation_id = old.conversation_id AND (version > 0 OR sending IS NOT NULL);
       DELETE FROM sync_changes WHERE conversation_id = old.conversation_id;
       DELETE FROM sync_unnoted WHERE conversation_id = old.conversation_id;
     END`,
    onSession('made', 'INSERT', sessionRow),
    onSession('marks_made', 'INSERT', marks),
    onSession('changed', `UPDATE OF ${session.join(', ')}`, sessionRow),
    onSession('marked', `UPDATE OF ${markColumns.join(', ')}`, marks),
  ];
}
