import { parsedAs } from '../../../transcript/json';
import type { SqlRow, SqlValue } from '../../engine/sqlDatabase';
import type { SentDocument } from '../../syncing';
import { hasSoundNames, showWhatIsSent, withoutRights } from '../tables/rights';
import { invalid } from '../tables/refusal';
import { documentKinds, idOf, kindOf, type DocumentKind } from './documentReading';
import { bodySchema, DocumentReading, travellingColumns, type Body, type DocumentTable } from './documentReading';
import { bodyText } from './newerBodies';
import { markColumns } from './syncTables';
import { StorePart } from '../tables/storePart';

export { idOf, kindOf } from './documentReading';

/** Columns of long text. Their text is bound as bytes: the engine's own encoding of a string takes several times as
 *  long. */
const longColumns: ReadonlySet<string> = new Set([
  'content',
  'parts',
  'tool_calls',
  'reasoning_content',
  'reasoning_details',
]);
/** Characters of a text that is bound as bytes. */
const longText = 100;
const encoder = new TextEncoder();
/** Seconds. */
const day = 24 * 60 * 60;

/** The rows of a conversation as documents that travel, in JSON. Every method runs inside its caller's transaction. */
export class SyncDocuments extends StorePart {
  private readonly reading = new DocumentReading(this.database);
  private readonly insertions = new Map<DocumentTable, string>();

  /** The documents as they are stored; null for one that has no rows. */
  read(conversationId: string, documents: readonly string[]): readonly SentDocument[] {
    const bodies = this.reading.bodies(conversationId, documents);
    return documents.map((document, index) => {
      const body = bodies[index] ?? {};
      const isEmpty = Object.values(body).every((found) => (found ?? []).length === 0);
      return { document, body: isEmpty ? null : bodyText(body) };
    });
  }

  /** Gives all segments of a conversation the marks of its first one. */
  shareMarks(conversationId: string): void {
    const marks = [...markColumns, 'mode'].join(', ');
    this.database.run(
      `UPDATE sessions SET (${marks}) = (SELECT ${marks} FROM sessions WHERE id = ?1)
       WHERE conversation_id = ?1 AND id <> ?1`,
      [conversationId],
    );
  }

  /** True when the store has messages of this document, or texts of them, that its other form does not have. */
  hasMore(conversationId: string, document: string, other: string | null): boolean {
    const known = new Set(other === null ? [] : textsOf(receivedRows(document, other)));
    const [body] = this.reading.bodies(conversationId, [document]);
    return textsOf(body ?? {}).some((text) => !known.has(text));
  }

  /** Removes the rows of documents that hold messages. */
  remove(conversationId: string, documents: readonly string[]): void {
    const idsOf = (kind: DocumentKind): readonly string[] =>
      documents.filter((document) => kindOf(document) === kind).map(idOf);
    const [turns, messages] = [idsOf('turn'), idsOf('message')];
    this.deleteOwn('messages', 'uid', messages, conversationId);
    for (const table of ['messages', 'approvals', 'file_changes'] as const)
      this.deleteOwn(table, 'turn_uid', turns, conversationId);
    this.deleteOwn('turns', 'uid', turns, conversationId);
  }

  /** Makes the stored rows of these documents what the documents say; they are no changes of this machine. Throws
   *  `invalid` for one that is damaged, or that has rows of another document or conversation. */
  write(
    conversationId: string,
    documents: readonly { readonly document: string; readonly body: string | null }[],
  ): void {
    const parsed = documents.map(({ document, body }) => ({
      kind: kindOf(document),
      document,
      body: body === null ? {} : receivedRows(document, body),
    }));
    const names = documents.map(({ document }) => document);
    // The triggers note nothing meanwhile. A crash undoes it with the rest of the transaction.
    this.database.run('INSERT INTO sync_receiving (only_row) VALUES (1)');
    const sent = this.wireTexts(conversationId);
    this.remove(conversationId, names);
    // A segment has one continuation at the most, also in between.
    this.database.run(
      `UPDATE sessions SET parent_session_id = NULL
       WHERE conversation_id = ?1 AND 'session/' || id IN (SELECT value FROM json_each(?2)) AND parent_kind = 'compression'`,
      [conversationId, JSON.stringify(names)],
    );
    for (const kind of documentKinds) {
      // The segments are written first.
      const sessions = this.sessionsOf(conversationId);
      for (const one of parsed) if (one.kind === kind) this.insert({ ...one, conversationId, sessions });
    }
    this.database.run(
      'DELETE FROM sync_changes WHERE conversation_id = ?1 AND document IN (SELECT value FROM json_each(?2))',
      [conversationId, JSON.stringify(names)],
    );
    for (const { uid, parts, api_content } of sent)
      this.database.run('UPDATE messages SET api_content = ?3 WHERE uid = ?1 AND parts = ?2 AND api_content IS NULL', [
        uid ?? null,
        parts ?? null,
        api_content ?? null,
      ]);
    this.checkSegments(conversationId);
    showWhatIsSent(this.database, [conversationId]);
    this.database.run('DELETE FROM sync_receiving');
  }

  /** What a model got for prompts of this conversation: it stays here when their rows are written again. */
  private wireTexts(conversationId: string): readonly SqlRow[] {
    return this.database.all(
      `SELECT uid, parts, api_content FROM messages WHERE api_content IS NOT NULL
         AND session_id IN (SELECT id FROM sessions WHERE conversation_id = ?)`,
      [conversationId],
    );
  }

  private insert({ conversationId, sessions, kind, document, body }: Insertion): void {
    const insertOwn = (table: DocumentTable, row: SqlRow): void => {
      if (!sessions.has(row['session_id'])) throw invalid(`a row of ${table} is not in conversation ${conversationId}`);
      this.insertRow(table, row);
    };
    const id = idOf(document);
    const isOwn = (row: SqlRow, column: string): boolean => row[column] === id;
    if (kind === 'session' || kind === 'marks') {
      for (const row of body.sessions ?? []) {
        if (!isOwn(row, 'id')) throw invalid(`${document} has a row of another session`);
        if (kind === 'marks') this.writeMarks(conversationId, document, row);
        else this.writeSession(conversationId, row);
      }
      return;
    }
    for (const row of body.turns ?? []) {
      if (!isOwn(row, 'uid')) throw invalid(`${document} has a row of another turn`);
      if (row['state'] !== 'settled') throw invalid(`${document} is not settled`);
      insertOwn('turns', { ...row, conversation_id: conversationId });
    }
    const messages = new Set<SqlValue>();
    for (const row of body.messages ?? []) {
      if (!isOwn(row, kind === 'turn' ? 'turn_uid' : 'uid')) throw invalid(`${document} has a row of another turn`);
      if (row['state'] !== 'final') throw invalid(`${document} has a message that is not whole`);
      messages.add(row['uid'] ?? null);
      insertOwn('messages', row);
    }
    for (const row of body.message_revisions ?? []) {
      if (!messages.has(row['message_uid'] ?? null)) throw invalid(`${document} has a revision of another message`);
      this.insertRow('message_revisions', row);
    }
    for (const table of ['approvals', 'file_changes'] as const)
      for (const row of body[table] ?? []) {
        if (!isOwn(row, 'turn_uid')) throw invalid(`${document} has a row of another turn`);
        insertOwn(table, row);
      }
  }

  private writeMarks(conversationId: string, document: string, row: SqlRow): void {
    if (row['id'] !== conversationId) throw invalid(`${document} has the marks of another conversation`);
    const sql = 'SELECT trashed_at FROM sessions WHERE id = ?';
    const isInTrash = (this.database.get(sql, [conversationId])?.['trashed_at'] ?? null) !== null;
    const at = row['trashed_at'] ?? null;
    // A session that was never seen in the trash must not be erased as one that was there for long.
    const isOld = !isInTrash && at !== null && !(Number(at) > this.now() - day);
    this.update(markColumns, isOld ? { ...row, trashed_at: this.now() } : row, 'conversation_id');
  }

  private writeSession(conversationId: string, row: SqlRow): void {
    const columns = travellingColumns('sessions');
    const known = this.database.get('SELECT conversation_id FROM sessions WHERE id = ?', [row['id'] ?? null]);
    const values = { ...row, conversation_id: conversationId };
    if (known === undefined) return this.insertRow('sessions', values);
    if (known['conversation_id'] !== conversationId)
      throw invalid(`session ${String(row['id'])} is in another conversation`);
    this.update(columns, values, 'id');
  }

  /** Throws for a segment that continues another conversation: what is asked there would go on here. */
  private checkSegments(conversationId: string): void {
    const joined = this.database.get(
      `SELECT c.id FROM sessions c JOIN sessions p ON p.id = c.parent_session_id
       WHERE c.parent_kind = 'compression' AND c.conversation_id <> p.conversation_id
         AND ?1 IN (c.conversation_id, p.conversation_id)`,
      [conversationId],
    );
    if (joined !== undefined) throw invalid(`session ${String(joined['id'])} continues another conversation`);
  }

  private update(columns: readonly string[], row: SqlRow, key: 'id' | 'conversation_id'): void {
    const known = columns.filter((column) => row[column] !== undefined && column !== 'id');
    this.database.run(`UPDATE sessions SET ${known.map((column) => `${column} = ?`).join(', ')} WHERE ${key} = ?`, [
      ...known.map((column) => row[column] ?? null),
      row['id'] ?? null,
    ]);
  }

  private insertRow(table: DocumentTable, row: SqlRow): void {
    const columns = travellingColumns(table);
    const values: SqlValue[] = [];
    for (const column of columns) {
      const value = row[column];
      if (value !== undefined) values.push(bound(column, value));
    }
    const isWhole = values.length === columns.length;
    this.database.run(
      isWhole
        ? this.insertion(table)
        : insertion(
            table,
            columns.filter((column) => row[column] !== undefined),
          ),
      values,
    );
  }

  /** Most rows have all columns. */
  private insertion(table: DocumentTable): string {
    const sql = this.insertions.get(table) ?? insertion(table, travellingColumns(table));
    this.insertions.set(table, sql);
    return sql;
  }

  private sessionsOf(conversationId: string): ReadonlySet<unknown> {
    const found = this.database.all('SELECT id FROM sessions WHERE conversation_id = ?', [conversationId]);
    return new Set(found.map((row) => row['id']));
  }

  private deleteOwn(table: DocumentTable, key: string, ids: readonly string[], conversationId: string): void {
    if (ids.length === 0) return;
    this.database.run(
      `DELETE FROM ${table} WHERE ${key} IN (SELECT value FROM json_each(?1))
         AND session_id IN (SELECT id FROM sessions WHERE conversation_id = ?2)`,
      [JSON.stringify(ids), conversationId],
    );
  }
}

/** Every text of every message, also earlier ones. */
function textsOf({ messages = [], message_revisions = [] }: Body): readonly string[] {
  return [
    ...messages.map(({ uid, parts }) => JSON.stringify([uid, parts])),
    ...message_revisions.map(({ message_uid, parts }) => JSON.stringify([message_uid, parts])),
  ];
}

interface Insertion {
  readonly conversationId: string;
  /** Ids of the conversation's sessions. */
  readonly sessions: ReadonlySet<unknown>;
  readonly kind: DocumentKind;
  readonly document: string;
  readonly body: Body;
}

function insertion(table: DocumentTable, columns: readonly string[]): string {
  const values = columns.map((column) => (longColumns.has(column) ? 'CAST(? AS TEXT)' : '?'));
  // The same approval or change may be in a branch that another machine made of the same turn. A branch names its turns
  // after these. Rows of other sessions stay theirs.
  const conflict = { approvals: onOwnTurn(columns), file_changes: 'ON CONFLICT (uid) DO NOTHING' };
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})
    ${table === 'approvals' || table === 'file_changes' ? conflict[table] : ''}`;
}

function onOwnTurn(columns: readonly string[]): string {
  const ends = (one: string, other: string): string => `substr(${one}, -length(${other}) - 1) = '/' || ${other}`;
  const [here, there] = ['approvals.turn_uid', 'excluded.turn_uid'];
  return `ON CONFLICT (id) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
    WHERE approvals.state <> 'pending'
      AND (${here} = ${there} OR ${ends(here, there)} OR ${ends(there, here)})`;
}

function bound(column: string, value: SqlValue): SqlValue {
  return typeof value === 'string' && value.length > longText && longColumns.has(column)
    ? encoder.encode(value)
    : value;
}

/** The rows of a document from the server, without what would give rights here. Throws `invalid` for one that is
 *  damaged. */
export function receivedRows(document: string, body: string): Body {
  const parsed = parsedAs(bodySchema, body);
  if (parsed === null) throw invalid(`${document} cannot be read`);
  const tables = Object.entries(parsed) as [DocumentTable, Body[DocumentTable]][];
  return Object.fromEntries(
    tables.map(([table, rows]) => {
      const sound = (rows ?? []).filter((row) => hasSoundNames(table, row));
      if (table !== 'file_changes' && sound.length < (rows ?? []).length)
        throw invalid(`a row of ${document} has an odd name`);
      return [table, sound.map((row) => withoutRights(table, row, 'server'))];
    }),
  );
}
