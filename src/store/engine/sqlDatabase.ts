export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = { readonly [column: string]: SqlValue };

/** SQLite as the store's code uses it: synchronous, statements prepared once and cached, errors as `StoreError`.
 *  Texts are made well-formed before binding: a lone surrogate becomes U+FFFD (sql.js would write three of them). */
export interface SqlDatabase {
  run(sql: string, params?: readonly SqlValue[]): { readonly changes: number };
  get(sql: string, params?: readonly SqlValue[]): SqlRow | undefined;
  all(sql: string, params?: readonly SqlValue[]): readonly SqlRow[];
  /** Returns rows one by one; the statement is released when the iteration ends for any reason. */
  iterate(sql: string, params?: readonly SqlValue[]): IterableIterator<SqlRow>;
  /** Runs BEGIN IMMEDIATE … COMMIT; rolls back when `work` throws. When it returns, the written data is on disk and
   *  the caller still owns the file. Not reentrant. */
  transaction<T>(work: () => T): T;
  /** One read snapshot for several statements. */
  readTransaction<T>(work: () => T): T;
  /** Runs several statements without parameters (schema). */
  execute(sql: string): void;
  close(): void;
}
