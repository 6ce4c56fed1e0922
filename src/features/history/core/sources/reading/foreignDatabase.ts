import { t } from '../../../../../base/translate';
import { errorMessage } from '../../../../../base/errorMessage';

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

/** A sentence about a database that can be read only in part, or not at all. */
export function restUnreadable(error: unknown): string {
  const reason = errorMessage(error).replace(/\.$/, '');
  return t('The database, or the rest of it, can’t be read ({reason}).', { reason });
}
