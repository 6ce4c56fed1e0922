import type { SqlRow } from '../../engine/sqlDatabase';
import type { ImportedTable } from '../tables/rights';

/** Rows of another store: a sibling's file, or the readable part of a damaged one. Each table may be read once. Rows
 *  may lack columns and hold anything. */
export interface StoreRows {
  rows(table: ImportedTable): Iterable<SqlRow>;
}
