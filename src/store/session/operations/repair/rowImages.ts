import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { SqlDatabase, SqlRow, SqlValue } from '../../../engine/sqlDatabase';
import type { RepairedTable } from '../../../repairs';
import { insertRow } from '../../tables/columns';

interface Imaged {
  readonly key: string;
  /** Columns that a repair may change. */
  readonly columns: readonly string[];
}

/** Rows of these tables are recorded before a repair changes them. Positions are not: rows are only inserted between
 *  others. Counts of sessions follow their messages. */
export const imagedTables: { readonly [T in RepairedTable]: Imaged } = {
  messages: {
    key: 'uid',
    columns: [
      ...['turn_uid', 'content', 'parts', 'tool_call_id', 'tool_calls', 'tool_name', 'token_count', 'finish_reason'],
      ...['reasoning_content', 'reasoning_details', 'active', 'display_kind', 'hidden_reason', 'absorbed_into'],
      ...['carried_from', 'copied_from', 'hidden_with', 'state', 'last_seq', 'model', 'usage', 'api_content'],
    ],
  },
  sessions: { key: 'id', columns: ['parent_session_id', 'parent_kind', 'conversation_id', 'ended_at', 'end_reason'] },
  turns: {
    key: 'uid',
    columns: ['conversation_id', 'state', 'approval_id', 'outcome', 'stop_reason', 'failure', 'settled_at'],
  },
  approvals: { key: 'id', columns: ['call_id', 'state', 'decision', 'decided_at'] },
  queue: { key: 'uid', columns: ['conversation_id'] },
  file_changes: { key: 'uid', columns: ['call_id'] },
};

const chunkColumns = ['message_uid', 'seq', 'part', 'kind', 'start', 'text', 'escaped'] as const;

/** A value of a column as JSON. */
const storedValue = v.union([v.string(), v.number(), v.null(), v.object({ bytes: v.string() })]);
const storedRow = v.record(v.string(), storedValue);
export const rowImage = v.object({ row: v.nullable(storedRow), chunks: v.array(storedRow) });
/** A row at one moment. `row` is null when it is not stored. */
export type RowImage = v.InferOutput<typeof rowImage>;

/** Reads a row as it is, without judging its values. */
export function imageOf(database: SqlDatabase, table: RepairedTable, id: string): RowImage {
  const { key } = imagedTables[table];
  const found = database.get(`SELECT * FROM ${table} WHERE ${key} = ?`, [id]);
  const chunks =
    table === 'messages'
      ? database.all(`SELECT ${chunkColumns.join(', ')} FROM stream_chunks WHERE message_uid = ? ORDER BY seq`, [id])
      : [];
  return { row: found === undefined ? null : asStored(found), chunks: chunks.map(asStored) };
}

/** Writes a row back, also one that the repair removed. */
export function restoreImage(database: SqlDatabase, table: RepairedTable, id: string, { row, chunks }: RowImage): void {
  if (row === null) return;
  const { key, columns } = imagedTables[table];
  const all = Object.keys(row);
  // Names of columns come from a query of the same schema or an older one.
  database.run(
    `INSERT INTO ${table} (${all.join(', ')}) SELECT ${all.map(() => '?').join(', ')}
     WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE ${key} = ?)`,
    [...all.map((column) => asValue(row[column])), id],
  );
  database.run(`UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE ${key} = ?`, [
    ...columns.map((column) => asValue(row[column])),
    id,
  ]);
  if (table !== 'messages') return;
  database.run('DELETE FROM stream_chunks WHERE message_uid = ?', [id]);
  for (const row of chunks)
    insertRow(database, 'stream_chunks', Object.fromEntries(chunkColumns.map((name) => [name, asValue(row[name])])));
}

/** Equal for rows that are equal in every column that a repair may change. */
export function fingerprint(table: RepairedTable, { row, chunks }: RowImage): string {
  const values = row === null ? null : imagedTables[table].columns.map((column) => row[column]);
  return createHash('sha1')
    .update(JSON.stringify([values, chunks]))
    .digest('base64');
}

/** The image as a row for the readers of single columns. */
export function toRow(image: RowImage): SqlRow {
  return Object.fromEntries(Object.entries(image.row ?? {}).map(([column, value]) => [column, asValue(value)]));
}

function asStored(row: SqlRow): v.InferOutput<typeof storedRow> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value,
    ]),
  );
}

function asValue(value: v.InferOutput<typeof storedValue> | undefined): SqlValue {
  if (typeof value !== 'object' || value === null) return value ?? null;
  return new Uint8Array(Buffer.from(value.bytes, 'base64'));
}
