import type { SqlDatabase, SqlRow } from '../engine/sqlDatabase';
import { StoreError } from '../storeError';

/** Yields the rows of a table from the first one until a row cannot be read. Returns true when those were all rows,
 *  also when the table does not exist. Rows after a broken page are found without the tree (`strayRows.ts`). */
export function* readableRows(database: SqlDatabase, table: string): Generator<SqlRow, boolean> {
  try {
    if (database.get("SELECT 1 AS n FROM sqlite_master WHERE type = 'table' AND name = ?", [table]) === undefined)
      return true;
    for (const row of database.iterate(`SELECT * FROM "${table.replaceAll('"', '""')}" NOT INDEXED`)) yield row;
    return true;
  } catch (error) {
    // Any error that a damaged file causes in SQLite.
    if (error instanceof StoreError) return false;
    throw error;
  }
}
