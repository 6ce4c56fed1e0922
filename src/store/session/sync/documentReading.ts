import { groupedBy } from '../../../base/groupedBy';
import * as v from 'valibot';
import type { SqlDatabase, SqlRow, SqlValue } from '../../engine/sqlDatabase';
import { readText } from '../tables/columns';
import { invalid } from '../tables/refusal';
import { columnsWith } from '../tables/rights';
import { markColumns } from './syncTables';

/** Kinds of documents, in the order in which they are written: rows name rows of earlier kinds.
 *  session: a segment. marks: the conversation’s title and how it is listed. turn: a turn with all rows of it. message:
 *  a row without a turn. */
export const documentKinds = ['session', 'marks', 'turn', 'message'] as const;
export type DocumentKind = (typeof documentKinds)[number];

export function kindOf(document: string): DocumentKind {
  const kind = documentKinds.find((one) => document.startsWith(one) && document[one.length] === '/');
  if (kind === undefined) throw invalid(`${document} is no document`);
  return kind;
}

export function idOf(document: string): string {
  return document.slice(document.indexOf('/') + 1);
}

export type DocumentTable = 'sessions' | 'turns' | 'messages' | 'message_revisions' | 'approvals' | 'file_changes';

type PlainRow = Record<string, string | number | null>;
// A schema of schemas for each value takes as long as writing the row.
const rows = v.array(v.custom<PlainRow>(isPlainRow));
type BodyRows = v.InferOutput<typeof rows>;
export const bodySchema = v.object({
  sessions: v.optional(rows),
  turns: v.optional(rows),
  messages: v.optional(rows),
  message_revisions: v.optional(rows),
  approvals: v.optional(rows),
  file_changes: v.optional(rows),
});
const sessionColumns = travellingColumns('sessions');

/** The columns that travel with the transcript. */
export function travellingColumns(table: DocumentTable): readonly string[] {
  return columnsWith(table, 'data');
}

function listOf(table: DocumentTable): string {
  return travellingColumns(table).join(', ');
}

/** The rows of a document. */
export type Body = v.InferOutput<typeof bodySchema>;

const own = 'session_id IN (SELECT id FROM sessions WHERE conversation_id = ?2)';
const named = '(SELECT value FROM json_each(?1))';

/** Reads the rows of documents: those of many with one statement for each table. Runs inside its caller's
 *  transaction. */
export class DocumentReading {
  constructor(private readonly database: SqlDatabase) {}

  /** In the order of the names. */
  bodies(conversationId: string, documents: readonly string[]): readonly Body[] {
    const idsOf = (kind: 'turn' | 'message'): string =>
      JSON.stringify(documents.filter((document) => kindOf(document) === kind).map(idOf));
    const turns = this.turns(conversationId, idsOf('turn'));
    const messages = this.messages(conversationId, 'uid', idsOf('message'));
    return documents.map((document): Body => {
      const id = idOf(document);
      switch (kindOf(document)) {
        case 'session':
          return this.session(conversationId, id, sessionColumns);
        case 'marks':
          return this.session(conversationId, id, ['id', ...markColumns]);
        case 'message':
          return messages(id);
        case 'turn':
          return turns(id);
      }
    });
  }

  private session(conversationId: string, id: string, columns: readonly string[]): Body {
    const sql = `SELECT ${columns.join(', ')} FROM sessions WHERE id = ? AND conversation_id = ?`;
    return { sessions: this.plain(sql, [id, conversationId]) };
  }

  private turns(conversationId: string, ids: string): (id: string) => Body {
    const messages = this.messages(conversationId, 'turn_uid', ids);
    const of = (table: DocumentTable, key: string, order: string): ReadonlyMap<string, BodyRows> =>
      grouped(
        this.plain(`SELECT ${listOf(table)} FROM ${table} WHERE ${key} IN ${named} AND ${own} ORDER BY ${order}`, [
          ids,
          conversationId,
        ]),
        key,
      );
    const turns = of('turns', 'uid', 'uid');
    const approvals = of('approvals', 'turn_uid', 'requested_at, id');
    const changes = of('file_changes', 'turn_uid', 'id');
    return (id) => ({
      ...messages(id),
      turns: turns.get(id) ?? [],
      approvals: approvals.get(id) ?? [],
      file_changes: changes.get(id) ?? [],
    });
  }

  private messages(conversationId: string, key: 'turn_uid' | 'uid', ids: string): (id: string) => Body {
    const found = this.plain(`SELECT ${listOf('messages')} FROM messages WHERE ${key} IN ${named} AND ${own}`, [
      ids,
      conversationId,
    ]);
    const uids = JSON.stringify(found.map((row) => row['uid']));
    const messages = grouped(found.sort(byPlace), key);
    const revisions = grouped(
      this.plain(
        `SELECT ${listOf('message_revisions')} FROM message_revisions WHERE message_uid IN ${named} ORDER BY id`,
        [uids],
      ),
      'message_uid',
    );
    return (id) => {
      const rowsOf = messages.get(id) ?? [];
      const revised = rowsOf.flatMap((row) => revisions.get(readText(row, 'uid', '')) ?? []);
      return { messages: rowsOf, ...(revised.length === 0 ? {} : { message_revisions: revised }) };
    };
  }

  private plain(sql: string, values: readonly SqlValue[]): BodyRows {
    return this.database.all(sql, values).filter(isPlain);
  }
}

/** Sorting in SQL would copy the text. */
function byPlace(one: SqlRow, other: SqlRow): number {
  const [session, otherSession] = [readText(one, 'session_id', ''), readText(other, 'session_id', '')];
  if (session !== otherSession) return session < otherSession ? -1 : 1;
  return Number(one['position']) - Number(other['position']);
}

function grouped(found: BodyRows, key: string): ReadonlyMap<string, BodyRows> {
  return groupedBy(found, (row) => readText(row, key, ''));
}

/** Throws for a row that JSON cannot hold. */
function isPlain(row: SqlRow): row is PlainRow {
  if (!isPlainRow(row)) throw invalid('a row that travels holds bytes');
  return true;
}

function isPlainRow(row: unknown): row is PlainRow {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return false;
  for (const one of Object.values(row))
    if (typeof one !== 'string' && typeof one !== 'number' && one !== null) return false;
  return true;
}
