import { columnsOf, rowNumber, type ForeignDatabase } from '../sources/reading/foreignDatabase';

/** A full-text index of Hermes Agent, and the view that it indexes. Versions before 23 have no view: their triggers
 *  index every message. The trigram index leaves out results of tools, and sessions of cron and sub-agents: its view
 *  says exactly which. */
const indexes = [
  { table: 'messages_fts', view: 'messages_fts_src' },
  { table: 'messages_fts_trigram', view: 'messages_fts_trigram_src' },
] as const;

/** Rows that are in only one of the transcript and a search index of it, in all indexes together. */
export function indexDrift(database: ForeignDatabase): number {
  return indexes.reduce((sum, index) => sum + driftOf(database, index), 0);
}

/** During a rebuild (`fts_rebuild_…`) a row is expected in the index when the rebuild has passed it, or when it is
 *  newer than the rebuild. */
function driftOf(database: ForeignDatabase, { table, view }: (typeof indexes)[number]): number {
  const indexed = `${table}_docsize`;
  if (!columnsOf(database, indexed).has('id') || !columnsOf(database, 'messages').has('id')) return 0;
  const source = columnsOf(database, view).has('id') ? view : 'messages';
  const [passed, begun] = ['fts_rebuild_progress', 'fts_rebuild_high_water'].map((key) => metaNumber(database, key));
  const isExpected = begun === null || begun === undefined ? '1' : `(m.id <= ${passed ?? 0} OR m.id > ${begun})`;
  const [row] = database.iterate(
    `SELECT (SELECT count(*) FROM ${source} m
     WHERE ${isExpected} AND NOT EXISTS (SELECT 1 FROM ${indexed} d WHERE d.id = m.id))
       + (SELECT count(*) FROM ${indexed} d WHERE d.id NOT IN (SELECT m.id FROM ${source} m)) AS n`,
  );
  return (row === undefined ? null : rowNumber(row, 'n')) ?? 0;
}

function metaNumber(database: ForeignDatabase, key: string): number | null {
  if (!columnsOf(database, 'state_meta').has('value')) return null;
  const [row] = database.iterate('SELECT CAST(value AS INTEGER) AS n FROM state_meta WHERE key = ?', [key]);
  return row === undefined ? null : rowNumber(row, 'n');
}
