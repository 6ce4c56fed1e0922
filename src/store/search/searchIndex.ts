import type { SqlDatabase } from '../engine/sqlDatabase';
import { searchIndexTable } from '../schema/schema';
import { countOf, textOr } from '../session/tables/columns';

const settled = `NOT EXISTS (SELECT 1 FROM messages m JOIN turns t ON t.uid = m.turn_uid WHERE m.id = d.message_id AND t.state <> 'settled')`;

const mostCounted = 1000;
/** Pages of the index that are written by one step of merging. */
const mergedPages = 32;

/** The tables that FTS4 keeps the index in. */
const shadowTables = [
  'messages_fts_segments',
  'messages_fts_segdir',
  'messages_fts_docsize',
  'messages_fts_stat',
] as const;

/** The full-text index and its dirty queue. A row of a turn that is not settled stays in the queue: it would be indexed once per rewrite.
 *  Every method runs inside its caller's transaction. */
export class SearchIndex {
  constructor(private readonly database: SqlDatabase) {}

  /** Indexes up to `rows` rows, oldest first; returns how many could be indexed now and are left, counted up to a thousand. */
  indexBatch(rows: number): number {
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

  /** Throws `corrupt` when the index does not hold what it should. Reads the whole index and every indexed row. */
  check(): void {
    this.database.run("INSERT INTO messages_fts (messages_fts) VALUES ('integrity-check')");
  }

  /** What SQLite finds wrong with the pages of the index: `check` does not read the sizes and totals that every write needs. Reads all of them,
   *  and may throw `corrupt`. */
  damagedPages(): readonly string[] {
    return this.complaints(shadowTables);
  }

  /** What SQLite finds wrong with the rows that the index is made from. Reads all of them, and may throw `corrupt`. */
  damagedRows(): readonly string[] {
    return this.complaints(['messages', 'search_dirty']);
  }

  /** Merges a little of the index. Each transaction that changes it adds a piece; left alone, SQLite merges sixteen at once, which for large ones takes
   *  hundreds of milliseconds. */
  mergeSome(): void {
    this.database.run(`INSERT INTO messages_fts (messages_fts) VALUES ('merge=${mergedPages},8')`);
  }

  /** Merges the index into one piece: only then the words of deleted rows are gone from it. Takes as long as writing the index. */
  compact(): void {
    this.database.run("INSERT INTO messages_fts (messages_fts) VALUES ('optimize')");
  }

  /** Drops the index and puts every row back into the queue. The rows themselves are not touched. Throws `corrupt` when the index cannot even
   *  be dropped. */
  rebuild(): void {
    // Without the table itself its parts are ordinary tables, which would be in the way of a new index.
    for (const table of ['messages_fts', ...shadowTables]) this.database.execute(`DROP TABLE IF EXISTS ${table}`);
    this.begin();
  }

  /** The same for an index with pages that SQLite cannot read and so cannot free: they stay in the file, unused, until that is rewritten. Not
   *  after a failed `rebuild` in the same transaction. */
  replace(): void {
    this.database.execute(`
      PRAGMA writable_schema = ON;
      DELETE FROM sqlite_master WHERE name = 'messages_fts' OR tbl_name IN (${shadowTables.map((table) => `'${table}'`).join(', ')});
      PRAGMA writable_schema = RESET`);
    this.begin();
  }

  private begin(): void {
    this.database.execute(searchIndexTable);
    this.database.run('INSERT OR IGNORE INTO search_dirty (message_id) SELECT id FROM messages');
    this.database.run('DELETE FROM search_dirty WHERE message_id NOT IN (SELECT id FROM messages)');
  }

  /** What SQLite finds wrong with the pages of these tables. */
  private complaints(tables: readonly string[]): readonly string[] {
    return tables
      .flatMap((table) => this.database.all(`PRAGMA quick_check(${table})`))
      .map((row) => textOr(row, 'quick_check', ''))
      .filter((line) => line !== 'ok');
  }
}
