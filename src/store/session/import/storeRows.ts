import type { SqlRow } from '../../engine/sqlDatabase';

export const importedTables = [
  'sessions',
  'turns',
  'stream_chunks',
  'messages',
  'message_revisions',
  'queue',
  'drafts',
  'approvals',
  'outbox',
  'state_meta',
  'file_changes',
  'file_contents',
] as const;
export type ImportedTable = (typeof importedTables)[number];

/** Rows of another store: a sibling's file, or the readable part of a damaged one. Each table may be read once. Rows
 *  may lack columns and hold anything. */
export interface StoreRows {
  rows(table: ImportedTable): Iterable<SqlRow>;
}
