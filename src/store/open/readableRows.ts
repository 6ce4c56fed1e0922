import type { SqlDatabase, SqlRow } from '../engine/sqlDatabase';
import { StoreError } from '../storeError';

/** The rows of a table from the front until something cannot be read. Returns whether that is all of them: true also where there is no such
 *  table. What lies behind a broken page is found without the tree (`strayRows.ts`). */
export function* readableRows(database: SqlDatabase, table: string): Generator<SqlRow, boolean> {
  try {
    if (database.get("SELECT 1 AS n FROM sqlite_master WHERE type = 'table' AND name = ?", [table]) === undefined)
      return true;
    for (const row of database.iterate(`SELECT * FROM "${table.replaceAll('"', '""')}" NOT INDEXED`)) yield row;
    return true;
  } catch (error) {
    // Whatever a damaged file makes SQLite say.
    if (error instanceof StoreError) return false;
    throw error;
  }
}
