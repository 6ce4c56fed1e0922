import * as v from 'valibot';

/** Name and version of our own export format, described in docs/exporting.md. */
export const exportFormat = 'hermes-sessions';
export const exportVersion = 1;

/** True for the beginning of an export. */
export function beginsExport(text: string): boolean {
  return text.startsWith(`{"format":"${exportFormat}"`);
}

/** Tables whose rows are exported, in the order in which a session's rows are in the file. */
export const exportedTables = [
  'sessions',
  'turns',
  'messages',
  'stream_chunks',
  'message_revisions',
  'approvals',
  'queue',
  'drafts',
  'file_changes',
  'file_contents',
] as const;
export type ExportedTable = (typeof exportedTables)[number];

/** Value of a column, as SQLite holds it. */
export type ColumnValue = string | number | null | Uint8Array;

/** One row of a store. */
export interface StoreRow {
  readonly table: ExportedTable;
  readonly row: Readonly<Record<string, ColumnValue>>;
}

export const exportHeader = v.object({
  format: v.literal(exportFormat),
  version: v.number(),
  /** Version of the store's tables. */
  schemaVersion: v.number(),
  /** ISO 8601, UTC. */
  exportedAt: v.string(),
  /** False when secrets were masked: then the file cannot restore the sessions completely. */
  lossless: v.boolean(),
});
export type ExportHeader = v.InferOutput<typeof exportHeader>;

export const exportTrailer = v.object({
  /** Rows by table. */
  counts: v.record(v.string(), v.number()),
  /** Number of secrets that were masked. */
  maskedSecrets: v.number(),
});
export type ExportTrailer = v.InferOutput<typeof exportTrailer>;

const exportedRow = v.object({
  table: v.picklist(exportedTables),
  row: v.record(v.string(), v.unknown()),
});

/** Columns that hold JSON text. They are exported as JSON, unless that would change a byte of the text. */
export const jsonColumns: { readonly [T in ExportedTable]?: readonly string[] } = {
  sessions: ['model_config', 'origin'],
  turns: ['failure', 'usage', 'recalled'],
  messages: ['parts', 'tool_calls', 'reasoning_details', 'usage'],
  message_revisions: ['parts'],
  approvals: ['request', 'decision'],
  queue: ['parts'],
  drafts: ['parts'],
};

/** Returns the row as one line of JSON, without a line break. Exact: `rowOf` returns the same row. */
export function rowLine({ table, row }: StoreRow): string {
  const asJson = new Set(jsonColumns[table]);
  const exported = Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, asJson.has(name) ? structured(value) : plain(value)]),
  );
  return JSON.stringify({ table, row: exported });
}

/** Reads a row of an export. Throws an `Error` with the reason when it is none. */
export function rowOf(parsed: unknown): StoreRow {
  const result = v.safeParse(exportedRow, parsed);
  if (!result.success) throw new Error(result.issues[0].message);
  const { table, row } = result.output;
  return {
    table,
    row: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, columnValue(name, value)])),
  };
}

function plain(value: ColumnValue): string | number | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function structured(value: ColumnValue): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return plain(value);
  try {
    const parsed: unknown = JSON.parse(value);
    return JSON.stringify(parsed) === value ? parsed : value;
  } catch {
    // Damaged text is kept as it is.
    return value;
  }
}

function columnValue(name: string, value: unknown): ColumnValue {
  if (typeof value === 'string') return name === 'bytes' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
  if (typeof value === 'number' || value === null) return value;
  if (typeof value === 'object') return JSON.stringify(value);
  throw new Error(`column ${name} has a value of type ${typeof value}`);
}
