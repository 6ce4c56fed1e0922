import type { SqlDatabase } from '../engine/sqlDatabase';
import { searchIndexTable } from '../schema/schema';
import { countOf } from '../session/columns';
import { StoreError } from '../storeError';

const settled = `NOT EXISTS (SELECT 1 FROM messages m JOIN turns t ON t.uid = m.turn_uid WHERE m.id = d.message_id AND t.state <> 'settled')`;

const mostCounted = 1000;

/** The full-text index and its dirty queue. A row of a turn that is not settled stays in the queue: it would be indexed once per rewrite.
 *  Every method runs inside its caller's transaction. */
export class SearchIndex {
  constructor(private readonly database: SqlDatabase) {}

  /** Indexes up to `rows` rows, oldest first; returns how many could be indexed now and are left, counted up to a thousand. */
  indexBatch(rows: number): number {
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

  /** Why the index does not hold what it should, or null when it does. Reads the whole index and every indexed row. */
  damage(): string | null {
    try {
      this.database.run("INSERT INTO messages_fts (messages_fts) VALUES ('integrity-check')");
      return null;
    } catch (error) {
      if (error instanceof StoreError) return error.technical;
      throw error;
    }
  }

  /** Merges the index into one piece: only then the words of deleted rows are gone from it. Takes as long as writing the index. */
  compact(): void {
    this.database.run("INSERT INTO messages_fts (messages_fts) VALUES ('optimize')");
  }

  /** Drops the index and puts every row back into the queue. The rows themselves are not touched. */
  rebuild(): void {
    this.database.execute('DROP TABLE IF EXISTS messages_fts');
    this.database.execute(searchIndexTable);
    this.database.run('INSERT OR IGNORE INTO search_dirty (message_id) SELECT id FROM messages');
    this.database.run('DELETE FROM search_dirty WHERE message_id NOT IN (SELECT id FROM messages)');
  }
}
