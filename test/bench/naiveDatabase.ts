import initSqlJs from 'sql.js';
import type { SqlDatabase, SqlRow, SqlValue } from '../../src/store/engine/sqlDatabase';

/** The part of sql.js used here: more than the store's own declaration of it names. */
interface StockStatement {
  bind(values: readonly SqlValue[]): boolean;
  step(): boolean;
  getAsObject(): SqlRow;
  reset(): void;
}
interface StockDatabase {
  run(sql: string): unknown;
  prepare(sql: string): StockStatement;
  getRowsModified(): number;
  export(): Uint8Array;
  close(): void;
}
type LoadStock = (settings: object) => Promise<{ readonly Database: new (bytes: Uint8Array) => StockDatabase }>;

/** sql.js as its documentation shows it: the database is an array of bytes in memory; `save` copies it whole. */
export class NaiveDatabase implements SqlDatabase {
  private readonly statements = new Map<string, StockStatement>();

  private constructor(private readonly handle: StockDatabase) {
    handle.run('PRAGMA foreign_keys=ON');
  }

  static async of(bytes: Uint8Array): Promise<NaiveDatabase> {
    const { Database } = await (initSqlJs as unknown as LoadStock)({ useOldExtensionFunctions: false });
    return new NaiveDatabase(new Database(bytes));
  }

  save(): Uint8Array {
    return this.handle.export();
  }

  run(sql: string, params: readonly SqlValue[] = []): { readonly changes: number; readonly lastInsertId: number } {
    for (const _row of this.iterate(sql, params));
    const changes = this.handle.getRowsModified();
    const id = sql.trimStart().toUpperCase().startsWith('INSERT')
      ? this.get('SELECT last_insert_rowid() AS id')?.['id']
      : 0;
    return { changes, lastInsertId: typeof id === 'number' ? id : 0 };
  }

  get(sql: string, params: readonly SqlValue[] = []): SqlRow | undefined {
    return this.all(sql, params)[0];
  }

  all(sql: string, params: readonly SqlValue[] = []): readonly SqlRow[] {
    return [...this.iterate(sql, params)];
  }

  *iterate(sql: string, params: readonly SqlValue[] = []): IterableIterator<SqlRow> {
    const statement = this.statements.get(sql) ?? this.handle.prepare(sql);
    this.statements.set(sql, statement);
    statement.bind(params);
    try {
      while (statement.step()) yield statement.getAsObject();
    } finally {
      statement.reset();
    }
  }

  transaction<T>(work: () => T): T {
    return this.enclosed('BEGIN IMMEDIATE', work);
  }

  readTransaction<T>(work: () => T): T {
    return this.enclosed('BEGIN', work);
  }

  execute(sql: string): void {
    this.handle.run(sql);
  }

  close(): void {
    this.handle.close();
  }

  private enclosed<T>(begin: string, work: () => T): T {
    this.run(begin);
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      this.handle.run('ROLLBACK');
      throw error;
    }
  }
}
