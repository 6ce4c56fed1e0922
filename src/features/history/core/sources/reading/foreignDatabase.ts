type ForeignValue = string | number | null | Uint8Array;
export type ForeignRow = { readonly [column: string]: ForeignValue };

/** A SQLite database of another program, open for reading. `SqlDatabase` of the store fits. */
export interface ForeignDatabase {
  /** Returns rows one by one. */
  iterate(sql: string, params?: readonly ForeignValue[]): IterableIterator<ForeignRow>;
  close(): void;
}

/** Opens a database with its write-ahead log, as of one moment, without a change to either: another program may be
 *  writing, so a private copy is opened. Throws an `Error` with the reason. */
export type OpenForeignDatabase = (path: string) => Promise<ForeignDatabase>;

/** Columns of a table, empty when there is none. */
export function columnsOf(database: ForeignDatabase, table: string): ReadonlySet<string> {
  const columns = [...database.iterate(`SELECT name FROM pragma_table_info('${table}')`)];
  return new Set(columns.map(({ name }) => String(name)));
}

const utf8 = new TextDecoder('utf-8');

/** A text. Texts may be read as bytes: SQLite's own strings end at a NUL character. */
export function rowText(row: ForeignRow, column: string): string | null {
  const value = row[column];
  if (value instanceof Uint8Array) return utf8.decode(value);
  return typeof value === 'string' ? value : null;
}

/** A text with at least one character. */
export function rowName(row: ForeignRow, column: string): string | null {
  const value = rowText(row, column);
  return value === null || value.trim() === '' ? null : value;
}

export function rowNumber(row: ForeignRow, column: string): number | null {
  const value = row[column];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function rowCount(row: ForeignRow, column: string): number | null {
  const value = rowNumber(row, column);
  return value !== null && value >= 0 && Number.isSafeInteger(value) ? value : null;
}
