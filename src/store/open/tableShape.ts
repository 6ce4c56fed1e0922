import type { SqlDatabase, SqlRow, SqlValue } from '../engine/sqlDatabase';
import type { StoredRecord } from './treeLeaf';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly mayBeNull: boolean;
  /** True when a row may end before this column, because it was added to the table later. */
  readonly mayLack: boolean;
  /** Values of a `CHECK (… IN (…))`; null without one. */
  readonly allowed: readonly SqlValue[] | null;
}

/** Shape of a table's rows: identifies them in a page that nothing leads to any more. */
export class TableShape {
  private constructor(
    readonly table: string,
    /** In the order of a stored row. */
    private readonly columns: readonly Column[],
    private readonly key: readonly string[],
    private readonly hasRowNumbers: boolean,
    /** The column that is the row number; a stored row holds a null for it. */
    private readonly numberColumn: string | null,
  ) {}

  /** The shapes of all tables that store rows themselves. */
  static all(database: SqlDatabase): readonly TableShape[] {
    return database
      .all(
        `SELECT name, sql FROM sqlite_master
         WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'
         AND name NOT LIKE 'messages_fts_%'`,
      )
      .map((row) => TableShape.of(database, String(row['name']), String(row['sql'])));
  }

  private static of(database: SqlDatabase, table: string, sql: string): TableShape {
    const rows = database.all(`PRAGMA table_info("${table.replaceAll('"', '""')}")`);
    const hasRowNumbers = !/\bWITHOUT\s+ROWID\b/i.test(sql);
    const keyRows = rows.filter((row) => Number(row['pk']) > 0).sort((a, b) => Number(a['pk']) - Number(b['pk']));
    const key = keyRows.map((row) => String(row['name']));
    const [first] = keyRows;
    const numberColumn =
      hasRowNumbers && keyRows.length === 1 && first?.['type'] === 'INTEGER' ? String(first['name']) : null;
    const stored = hasRowNumbers ? rows : [...keyRows, ...rows.filter((row) => !keyRows.includes(row))];
    const columns = stored.map((row): Column => ({
      name: String(row['name']),
      type: String(row['type']),
      mayBeNull: row['notnull'] === 0,
      mayLack: row['notnull'] === 0 || row['dflt_value'] !== null,
      allowed: allowedIn(sql, String(row['name'])),
    }));
    return new TableShape(table, columns, key, hasRowNumbers, numberColumn);
  }

  /** True when a record looks like a row of this table. */
  fits({ rowNumber, values, isWhole }: StoredRecord): boolean {
    if (
      (rowNumber !== null) !== this.hasRowNumbers ||
      values.length > this.columns.length ||
      values.length < this.key.length
    )
      return false;
    if (isWhole && this.columns.slice(values.length).some(({ mayLack }) => !mayLack)) return false;
    return values.every((value, index) => {
      const column = this.columns[index];
      return column !== undefined && (column.name === this.numberColumn ? value === null : fits(value, column));
    });
  }

  /** Converts a record of this table to a row by column name, with any values; omits missing columns. */
  rowOf({ rowNumber, values }: StoredRecord): SqlRow {
    const row: Record<string, SqlValue> = {};
    for (const [index, value] of values.entries()) {
      const name = this.columns[index]?.name;
      if (name !== undefined) row[name] = name === this.numberColumn ? rowNumber : value;
    }
    return row;
  }

  /** True when a row that was read through a tree may belong to this table. */
  holds(row: SqlRow): boolean {
    return this.columns.every(
      (column) =>
        row[column.name] === undefined || column.name === this.numberColumn || fits(row[column.name] ?? null, column),
    );
  }

  /** A key that is the same for one row, no matter how it was read. */
  keyOf(row: SqlRow): string {
    const columns = this.key.length > 0 ? this.key : this.columns.map(({ name }) => name);
    return JSON.stringify(columns.map((name) => row[name] ?? null));
  }
}

function fits(value: SqlValue, { type, mayBeNull, allowed }: Column): boolean {
  if (value === null) return mayBeNull;
  if (allowed !== null && !allowed.includes(value)) return false;
  switch (type) {
    case 'INTEGER':
      return Number.isInteger(value);
    case 'REAL':
      return typeof value === 'number';
    case 'TEXT':
      return typeof value === 'string';
    case 'BLOB':
      return value instanceof Uint8Array;
    default:
      return true;
  }
}

function allowedIn(sql: string, column: string): readonly string[] | null {
  const list = new RegExp(String.raw`CHECK \(${column} IN \(([^)]*)\)\)`).exec(sql)?.[1];
  return list === undefined ? null : [...list.matchAll(/'([^']*)'/g)].map((found) => found[1] ?? '');
}
