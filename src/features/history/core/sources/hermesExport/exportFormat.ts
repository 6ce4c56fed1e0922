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

export const exportedRow = v.object({
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
