import type { SqlDatabase, SqlRow, SqlValue } from '../../../src/store/engine/sqlDatabase';
import {
  openNative,
  type Durability,
  type NativeHandle,
  type NativeParams,
  type NativeStatement,
} from './nativeSqlite';

/** better-sqlite3 under the store's own code, so that both sides run the same statements over the same schema. */
export class NativeDatabase implements SqlDatabase {
  private readonly native: NativeHandle;
  private readonly statements = new Map<string, NativeStatement>();
  private grouped = false;

  constructor(file: string, durability: Durability) {
    this.native = openNative(file, durability);
    for (const pragma of ['foreign_keys=ON', 'cache_size=-32768', 'temp_store=MEMORY']) this.native.pragma(pragma);
  }

  /** Everything inside is one transaction, also what would be one of its own. */
  asOne<T>(work: () => T): T {
    return this.transaction(() => {
      this.grouped = true;
      try {
        return work();
      } finally {
        this.grouped = false;
      }
    });
  }

  run(sql: string, params: readonly SqlValue[] = []): { readonly changes: number } {
    const statement = this.prepared(sql);
    if (statement.reader) {
      statement.all(bound(sql, params));
      return { changes: 0 };
    }
    return { changes: statement.run(bound(sql, params)).changes };
  }

  get(sql: string, params: readonly SqlValue[] = []): SqlRow | undefined {
    return this.all(sql, params)[0];
  }

  all(sql: string, params: readonly SqlValue[] = []): readonly SqlRow[] {
    const statement = this.prepared(sql);
    if (statement.reader) return statement.all(bound(sql, params));
    statement.run(bound(sql, params));
    return [];
  }

  iterate(sql: string, params: readonly SqlValue[] = []): IterableIterator<SqlRow> {
    return this.prepared(sql).iterate(bound(sql, params));
  }

  transaction<T>(work: () => T): T {
    if (this.grouped) return work();
    return this.enclosed('BEGIN IMMEDIATE', work);
  }

  readTransaction<T>(work: () => T): T {
    return this.grouped ? work() : this.enclosed('BEGIN', work);
  }

  execute(sql: string): void {
    this.statements.clear();
    this.native.exec(sql);
  }

  close(): void {
    this.native.close();
  }

  private enclosed<T>(begin: string, work: () => T): T {
    this.run(begin);
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      this.native.exec('ROLLBACK');
      throw error;
    }
  }

  private prepared(sql: string): NativeStatement {
    const known = this.statements.get(sql);
    if (known) return known;
    const statement = this.native.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}

/** better-sqlite3 takes numbered parameters (`?1`) by name. */
function bound(sql: string, params: readonly SqlValue[]): NativeParams {
  return /\?\d/.test(sql) ? Object.fromEntries(params.map((value, index) => [String(index + 1), value])) : params;
}
