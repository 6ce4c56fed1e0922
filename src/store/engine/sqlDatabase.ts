export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = { readonly [column: string]: SqlValue };

/** SQLite as the store's own code uses it: synchronous, statements prepared once and kept, errors as `StoreError`.
 *  Texts are made well-formed before they are bound: a lone surrogate becomes U+FFFD (sql.js would write three of them). */
export interface SqlDatabase {
  run(sql: string, params?: readonly SqlValue[]): { readonly changes: number; readonly lastInsertId: number };
  get(sql: string, params?: readonly SqlValue[]): SqlRow | undefined;
  all(sql: string, params?: readonly SqlValue[]): readonly SqlRow[];
  /** Rows one by one; the statement is released when the iteration ends, however it ends. */
  iterate(sql: string, params?: readonly SqlValue[]): IterableIterator<SqlRow>;
  /** BEGIN IMMEDIATE … COMMIT, rolled back when `work` throws. When it returns, what was written is on disk and the caller still owns the
   *  file. Not reentrant. */
  transaction<T>(work: () => T): T;
  /** One read snapshot for several statements. */
  readTransaction<T>(work: () => T): T;
  /** Several statements without parameters (schema). */
  execute(sql: string): void;
  close(): void;
}
