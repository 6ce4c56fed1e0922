import type { SqlDatabase, SqlRow, SqlValue } from '../../engine/sqlDatabase';
import { integerOr, textOr, timeOr } from '../tables/columns';
import type { ImportedTable, StoreRows } from './storeImport';

interface Column {
  readonly name: string;
  readonly type: string;
  /** What stands there where the value is none. `undefined`: nothing is said, so that the row gets the column's default, or is refused. */
  readonly otherwise: SqlValue | undefined;
}

/** Rows of another store, each value one that this store can hold and read: a text, a whole number, a time or bytes, as its column wants it. What
 *  is none of these is left out, a time or number that a row needs becomes 0; a row that lacks a needed text is refused when it is stored. All
 *  rows that are not ours come through here before anything looks at them. */
export class SoundRows implements StoreRows {
  /** Rows of which a value was left out. */
  count = 0;

  constructor(
    private readonly database: SqlDatabase,
    private readonly source: StoreRows,
  ) {}

  *rows(table: ImportedTable): Generator<SqlRow> {
    const columns = this.columnsOf(table);
    for (const row of this.source.rows(table)) yield this.sound(row, columns);
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
      const [name, type] = [textOr(column, 'name', ''), textOr(column, 'type', '')];
      const isNumber = type === 'REAL' || type === 'INTEGER';
      const needed = column['dflt_value'] === null && isNumber ? 0 : undefined;
      return { name, type, otherwise: column['notnull'] === 1 ? needed : null };
    });
  }
}

/** Every number with a fraction in this schema is a time. */
function valueFor({ name, type }: Column, row: SqlRow): SqlValue {
  switch (type) {
    case 'REAL':
      return timeOr(row, name, null);
    case 'INTEGER':
      return integerOr(row, name, null);
    case 'BLOB':
      return row[name] instanceof Uint8Array ? row[name] : null;
    default:
      return textOr(row, name, null);
  }
}
