import type { SqlDatabase, SqlRow, SqlValue } from '../../engine/sqlDatabase';
import { readInteger, readText, readTime } from '../tables/columns';
import { hasSoundNames, type ImportedTable, withoutRights } from '../tables/rights';

/** Rows of another store: a sibling's file, or the readable part of a damaged one. Each table may be read once. Rows
 *  may lack columns and hold anything. */
export interface StoreRows {
  rows(table: ImportedTable): Iterable<SqlRow>;
}

interface Column {
  readonly name: string;
  readonly type: string;
  /** Replaces an invalid value. `undefined`: omit the column, so that the row gets the column's default, or is
   *  refused. */
  readonly otherwise: SqlValue | undefined;
}

/** Rows of another store, without rights unless they are ours, and with only values that this store can hold and read:
 *  a text, an integer, a time or bytes, as the column requires. Invalid values are left out, and a required time or
 *  number becomes 0. A row that lacks a required text is refused when it is stored. All foreign rows pass through here
 *  before any other code reads them. */
export class SoundRows implements StoreRows {
  /** Number of rows with a value that was left out. */
  count = 0;

  constructor(
    private readonly database: SqlDatabase,
    private readonly source: StoreRows,
    readonly isOurs: boolean,
  ) {}

  *rows(table: ImportedTable): Generator<SqlRow> {
    const columns = this.columnsOf(table);
    for (const row of this.source.rows(table))
      if (this.isOurs) yield this.sound(row, columns);
      else if (hasSoundNames(table, row)) yield this.sound(withoutRights(table, row, 'file'), columns);
      else this.count++;
  }

  private sound(row: SqlRow, columns: readonly Column[]): SqlRow {
    const sound: Record<string, SqlValue> = {};
    let isWhole = true;
    for (const column of columns) {
      const found = row[column.name];
      if (found === undefined) continue;
      const value = valueFor(column, row);
      if (value === null && found !== null) isWhole = false;
      const kept = value ?? column.otherwise;
      if (kept !== undefined) sound[column.name] = kept;
    }
    if (!isWhole) this.count++;
    return sound;
  }

  private columnsOf(table: ImportedTable): readonly Column[] {
    return this.database.all(`PRAGMA table_info(${table})`).map((column) => {
      const [name, type] = [readText(column, 'name', ''), readText(column, 'type', '')];
      const isNumber = type === 'REAL' || type === 'INTEGER';
      const needed = column['dflt_value'] === null && isNumber ? 0 : undefined;
      return { name, type, otherwise: column['notnull'] === 1 ? needed : null };
    });
  }
}

/** In this schema every REAL column is a time. */
function valueFor({ name, type }: Column, row: SqlRow): SqlValue {
  switch (type) {
    case 'REAL':
      return readTime(row, name, null);
    case 'INTEGER':
      return readInteger(row, name, null);
    case 'BLOB':
      return row[name] instanceof Uint8Array ? row[name] : null;
    default:
      return readText(row, name, null);
  }
}
