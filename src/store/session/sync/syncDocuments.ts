import * as v from 'valibot';
import type { SqlDatabase, SqlRow, SqlValue } from '../../engine/sqlDatabase';
import { textOr } from '../tables/columns';
import { invalid } from '../tables/refusal';
import { parseJson } from '../tables/partsJson';
import { markColumns, sessionColumns } from './syncTables';

/** Kinds of documents, in the order in which they are written: rows name rows of earlier kinds.
 *  session: a segment. marks: the conversation’s title and how it is listed. turn: a turn with all rows of it. message: a row without a turn. */
export const documentKinds = ['session', 'marks', 'turn', 'message'] as const;
export type DocumentKind = (typeof documentKinds)[number];

type DocumentTable = 'sessions' | 'turns' | 'messages' | 'message_revisions' | 'approvals' | 'file_changes';

const value = v.union([v.string(), v.number(), v.null()]);
const rows = v.array(v.record(v.string(), value));
const bodySchema = v.object({
  sessions: v.optional(rows),
  turns: v.optional(rows),
  messages: v.optional(rows),
  message_revisions: v.optional(rows),
  approvals: v.optional(rows),
  file_changes: v.optional(rows),
});
type Body = v.InferOutput<typeof bodySchema>;

export function kindOf(document: string): DocumentKind {
  const kind = documentKinds.find((one) => document.startsWith(`${one}/`));
  if (kind === undefined) throw invalid(`${document} is no document`);
  return kind;
}

/** The rows of a conversation as documents that travel, in JSON. Every method runs inside its caller's transaction. */
export class SyncDocuments {
  private readonly columns = new Map<DocumentTable, readonly string[]>();

  constructor(private readonly database: SqlDatabase) {}

  /** The document as it is stored; null when it has no rows. */
  read(conversationId: string, document: string): string | null {
    const body = this.body(conversationId, document);
    return Object.values(body).every((found) => (found ?? []).length === 0) ? null : JSON.stringify(body);
  }

  /** Gives all segments of a conversation the marks of its first one. */
  shareMarks(conversationId: string): void {
    const marks = [...markColumns, 'mode'].join(', ');
    this.database.run(
      `UPDATE sessions SET (${marks}) = (SELECT ${marks} FROM sessions WHERE id = ?1) WHERE conversation_id = ?1 AND id <> ?1`,
      [conversationId],
    );
  }

  /** True when the store has messages of this document that its other form does not have. */
  hasMore(conversationId: string, document: string, other: string | null): boolean {
    const known = new Set((other === null ? [] : (parse(document, other).messages ?? [])).map((row) => row['uid']));
    return (this.body(conversationId, document).messages ?? []).some((row) => !known.has(row['uid']));
  }

  /** Removes the rows of documents that hold messages. */
  remove(conversationId: string, documents: readonly string[]): void {
    for (const document of documents) {
      const [kind, id] = [kindOf(document), idOf(document)];
      if (kind === 'message') this.deleteOwn('messages', 'uid', id, conversationId);
      if (kind !== 'turn') continue;
      this.deleteOwn('messages', 'turn_uid', id, conversationId);
      this.deleteOwn('approvals', 'turn_uid', id, conversationId);
      this.deleteOwn('file_changes', 'turn_uid', id, conversationId);
      this.deleteOwn('turns', 'uid', id, conversationId);
    }
  }

  /** Makes the stored rows of these documents what the documents say. Throws `invalid` for one that is damaged, or that has
   *  rows of another document or conversation. */
  write(
    conversationId: string,
    documents: readonly { readonly document: string; readonly body: string | null }[],
  ): void {
    const parsed = documents.map(({ document, body }) => ({
      document,
      body: body === null ? {} : parse(document, body),
    }));
    this.remove(
      conversationId,
      documents.map(({ document }) => document),
    );
    for (const kind of documentKinds)
      for (const { document, body } of parsed)
        if (kindOf(document) === kind) this.insert(conversationId, kind, document, body);
  }

  private insert(conversationId: string, kind: DocumentKind, document: string, body: Body): void {
    const id = idOf(document);
    const isOwn = (row: SqlRow, column: string): boolean => row[column] === id;
    if (kind === 'session' || kind === 'marks') {
      for (const row of body.sessions ?? []) {
        if (!isOwn(row, 'id')) throw invalid(`${document} has a row of another session`);
        if (kind === 'marks') this.update(markColumns, row, 'conversation_id');
        else this.writeSession(conversationId, row);
      }
      return;
    }
    for (const row of body.turns ?? []) {
      if (!isOwn(row, 'uid')) throw invalid(`${document} has a row of another turn`);
      if (row['state'] !== 'settled') throw invalid(`${document} is not settled`);
      this.insertRow('turns', { ...row, conversation_id: conversationId }, conversationId);
    }
    const messages = new Set<SqlValue>();
    for (const row of body.messages ?? []) {
      if (!isOwn(row, kind === 'turn' ? 'turn_uid' : 'uid')) throw invalid(`${document} has a row of another turn`);
      if (row['state'] !== 'final') throw invalid(`${document} has a message that is not whole`);
      messages.add(row['uid'] ?? null);
      this.insertRow('messages', row, conversationId);
    }
    for (const row of body.message_revisions ?? []) {
      if (!messages.has(row['message_uid'] ?? null)) throw invalid(`${document} has a revision of another message`);
      this.insertRow('message_revisions', row, null);
    }
    for (const table of ['approvals', 'file_changes'] as const)
      for (const row of body[table] ?? []) {
        if (!isOwn(row, 'turn_uid')) throw invalid(`${document} has a row of another turn`);
        this.insertRow(table, table === 'approvals' ? withoutRights(row) : row, conversationId);
      }
  }

  private writeSession(conversationId: string, row: SqlRow): void {
    const columns = sessionColumns(this.database);
    const isKnown = this.database.get('SELECT 1 AS n FROM sessions WHERE id = ?', [row['id'] ?? null]) !== undefined;
    const values = { ...row, conversation_id: conversationId };
    if (isKnown) this.update(columns, values, 'id');
    else this.insertRow('sessions', values, null);
  }

  private update(columns: readonly string[], row: SqlRow, key: 'id' | 'conversation_id'): void {
    const known = columns.filter((column) => row[column] !== undefined && column !== 'id');
    this.database.run(`UPDATE sessions SET ${known.map((column) => `${column} = ?`).join(', ')} WHERE ${key} = ?`, [
      ...known.map((column) => row[column] ?? null),
      row['id'] ?? null,
    ]);
  }

  /** `conversationId`: where the row's session must be; null when the row has none. */
  private insertRow(table: DocumentTable, row: SqlRow, conversationId: string | null): void {
    if (conversationId !== null) {
      const session = this.database.get('SELECT conversation_id FROM sessions WHERE id = ?', [
        row['session_id'] ?? null,
      ]);
      if (session?.['conversation_id'] !== conversationId)
        throw invalid(`a row of ${table} is not in conversation ${conversationId}`);
    }
    const columns = this.columnsOf(table).filter((column) => row[column] !== undefined);
    this.database.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      columns.map((column) => row[column] ?? null),
    );
  }

  private body(conversationId: string, document: string): Body {
    const [kind, id] = [kindOf(document), idOf(document)];
    if (kind === 'session' || kind === 'marks') {
      const columns = kind === 'marks' ? ['id', ...markColumns] : sessionColumns(this.database);
      return {
        sessions: this.plain(`SELECT ${columns.join(', ')} FROM sessions WHERE id = ? AND conversation_id = ?`, [
          id,
          conversationId,
        ]),
      };
    }
    const own = 'session_id IN (SELECT id FROM sessions WHERE conversation_id = ?2)';
    const key = kind === 'turn' ? 'turn_uid' : 'uid';
    const messages = `FROM messages WHERE ${key} = ?1 AND ${own}`;
    const revisions = this.plain(
      `SELECT ${this.listOf('message_revisions')} FROM message_revisions WHERE message_uid IN (SELECT uid ${messages}) ORDER BY id`,
      [id, conversationId],
    );
    const of = (table: DocumentTable, where: string, order: string): Body['turns'] =>
      this.plain(`SELECT ${this.listOf(table)} FROM ${table} WHERE ${where} AND ${own} ORDER BY ${order}`, [
        id,
        conversationId,
      ]);
    return {
      messages: this.plain(`SELECT ${this.listOf('messages')} ${messages} ORDER BY session_id, position`, [
        id,
        conversationId,
      ]),
      ...(revisions.length === 0 ? {} : { message_revisions: revisions }),
      ...(kind === 'message'
        ? {}
        : {
            turns: of('turns', 'uid = ?1', 'uid'),
            approvals: of('approvals', 'turn_uid = ?1', 'requested_at, id'),
            file_changes: of('file_changes', 'turn_uid = ?1', 'id'),
          }),
    };
  }

  private plain(sql: string, values: readonly SqlValue[]): v.InferOutput<typeof rows> {
    return this.database.all(sql, values).filter(isPlain);
  }

  private listOf(table: DocumentTable): string {
    return this.columnsOf(table).join(', ');
  }

  /** The table's columns without its row number, which is each store's own. */
  private columnsOf(table: DocumentTable): readonly string[] {
    const known = this.columns.get(table);
    if (known !== undefined) return known;
    const found = this.database
      .all(`PRAGMA table_info(${table})`)
      .filter((column) => !(column['name'] === 'id' && column['type'] === 'INTEGER'))
      .map((column) => String(column['name']));
    this.columns.set(table, found);
    return found;
  }

  private deleteOwn(table: DocumentTable, key: string, id: string, conversationId: string): void {
    this.database.run(
      `DELETE FROM ${table} WHERE ${key} = ? AND session_id IN (SELECT id FROM sessions WHERE conversation_id = ?)`,
      [id, conversationId],
    );
  }
}

/** Throws for a row that JSON cannot hold. */
function isPlain(row: SqlRow): row is Record<string, v.InferOutput<typeof value>> {
  if (Object.values(row).some((one) => one !== null && typeof one === 'object'))
    throw invalid('a row that travels holds bytes');
  return true;
}

/** An approval that was given on another machine grants nothing here beyond its own call: the server and whoever writes to it
 *  must not be able to give the agent rights on this machine. */
function withoutRights(row: SqlRow): SqlRow {
  const decision = v.safeParse(
    v.object({ kind: v.literal('allow'), scope: v.string() }),
    parseJson(textOr(row, 'decision', 'null')),
  );
  const isWider = decision.success && decision.output.scope !== 'once';
  return isWider ? { ...row, decision: JSON.stringify({ kind: 'allow', scope: 'once' }) } : row;
}

export function idOf(document: string): string {
  return document.slice(document.indexOf('/') + 1);
}

function parse(document: string, body: string): Body {
  const parsed = v.safeParse(bodySchema, parseJson(body));
  if (!parsed.success) throw invalid(`${document} cannot be read`);
  return parsed.output;
}
