import { invalid } from './refusal';
import type { SqlDatabase } from '../../engine/sqlDatabase';
import { searchIndexTable } from '../../schema/schema';
import { countOf, readText } from './columns';

const settled = `NOT EXISTS (SELECT 1 FROM messages m JOIN turns t ON t.uid = m.turn_uid
  WHERE m.id = d.message_id AND t.state <> 'settled')`;

const mostCounted = 1000;
/** Index pages written by one merge step. */
const mergedPages = 32;

/** Tables in which FTS4 keeps the index. */
const shadowTables = [
  'messages_fts_segments',
  'messages_fts_segdir',
  'messages_fts_docsize',
  'messages_fts_stat',
] as const;

/** The full-text index and its dirty queue. Rows of an unsettled turn stay in the queue: otherwise they would be
 *  indexed once per rewrite. Every method runs inside its caller's transaction. */
export class SearchIndex {
  constructor(private readonly database: SqlDatabase) {}

  /** Indexes up to `rows` rows, oldest first. Returns the number of remaining rows that could be indexed now,
   *  counted up to a thousand. */
  indexBatch(rows: number): number {
    if (!Number.isInteger(rows) || rows < 1) throw invalid('an index batch without rows');
    this.mergeSome();
    const batch = this.database.all(
      `SELECT d.message_id AS id FROM search_dirty d WHERE ${settled} ORDER BY d.message_id LIMIT ?`,
      [rows],
    );
    for (const { id } of batch) {
      if (typeof id !== 'number') continue;
      this.database.run('INSERT INTO messages_fts (docid, content) SELECT id, content FROM messages WHERE id = ?', [
        id,
      ]);
      this.database.run('DELETE FROM search_dirty WHERE message_id = ?', [id]);
    }
    return this.indexable();
  }

  dirtyRows(): number {
    return countOf(this.database, 'SELECT count(*) AS n FROM search_dirty');
  }

  private indexable(): number {
    // After a rebuild the queue holds every row; counting them all would take longer than the batch.
    return countOf(
      this.database,
      `SELECT count(*) AS n FROM (SELECT 1 FROM search_dirty d WHERE ${settled} LIMIT ${mostCounted})`,
    );
  }

  /** Throws `corrupt` when the content of the index is wrong. Reads the whole index and every indexed row. */
  check(): void {
    this.database.run("INSERT INTO messages_fts (messages_fts) VALUES ('integrity-check')");
  }

  /** SQLite's findings on the pages of the index: `check` does not read the sizes and totals that every write needs.
   *  Reads all pages, and may throw `corrupt`. */
  damagedPages(): readonly string[] {
    return this.complaints(shadowTables);
  }

  /** SQLite's findings on the rows from which the index is made. Reads all of them, and may throw `corrupt`. */
  damagedRows(): readonly string[] {
    return this.complaints(['messages', 'search_dirty']);
  }

  /** Merges a small part of the index. Each transaction that changes the index adds a piece; without this, SQLite
   *  merges sixteen at once, which for large pieces takes hundreds of milliseconds. */
  mergeSome(): void {
    this.database.run(`INSERT INTO messages_fts (messages_fts) VALUES ('merge=${mergedPages},8')`);
  }

  /** Merges the index into one piece: only then are the words of deleted rows gone from it. Takes as long as writing
   *  the index. */
  compact(): void {
    this.database.run("INSERT INTO messages_fts (messages_fts) VALUES ('optimize')");
  }

  /** Drops the index and puts every row back into the queue. Does not change the rows themselves. Throws `corrupt`
   *  when the index cannot even be dropped. */
  rebuild(): void {
    // Without the main table its parts are ordinary tables, which would block a new index.
    for (const table of ['messages_fts', ...shadowTables]) this.database.execute(`DROP TABLE IF EXISTS ${table}`);
    this.begin();
  }

  /** Does the same for an index with pages that SQLite cannot read and so cannot free: they stay in the file,
   *  unused, until the file is rewritten. Must not follow a failed `rebuild` in the same transaction. */
  replace(): void {
    this.database.execute(`
      PRAGMA writable_schema = ON;
      DELETE FROM sqlite_master WHERE name = 'messages_fts'
      OR tbl_name IN (${shadowTables.map((table) => `'${table}'`).join(', ')});
      PRAGMA writable_schema = RESET`);
    this.begin();
  }

  private begin(): void {
    this.database.execute(searchIndexTable);
    this.database.run('INSERT OR IGNORE INTO search_dirty (message_id) SELECT id FROM messages');
    this.database.run('DELETE FROM search_dirty WHERE message_id NOT IN (SELECT id FROM messages)');
  }

  /** SQLite's findings on the pages of these tables. */
  private complaints(tables: readonly string[]): readonly string[] {
    return tables
      .flatMap((table) => this.database.all(`PRAGMA quick_check(${table})`))
      .map((row) => readText(row, 'quick_check', ''))
      .filter((line) => line !== 'ok');
  }
}
