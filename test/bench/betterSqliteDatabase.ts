import { createRequire } from 'node:module';
import type { SqlDatabase, SqlRow, SqlValue } from '../../src/store/engine/sqlDatabase';

/** The part of better-sqlite3 used here; the package brings no types. */
type NativeParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;
interface NativeStatement {
  readonly reader: boolean;
  run(params: NativeParams): { readonly changes: number; readonly lastInsertRowid: number };
  all(params: NativeParams): SqlRow[];
  iterate(params: NativeParams): IterableIterator<SqlRow>;
}
interface NativeDatabase {
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  pragma(pragma: string): unknown;
  close(): void;
}

export type Durability = 'full' | 'none';

/** better-sqlite3 under the store's own code, so that both sides run the same statements over the same schema: write-ahead log and
 *  `synchronous=FULL`, as a careful extension would use it, or nothing durable at all for making large files fast. */
export class BetterSqliteDatabase implements SqlDatabase {
  private readonly native: NativeDatabase;
  private readonly statements = new Map<string, NativeStatement>();
  private grouped = false;

  /** `packages`: the folder in which better-sqlite3 is installed. */
  constructor(packages: string, file: string, durability: Durability) {
    const Native = createRequire(`${packages}/package.json`)('better-sqlite3') as new (file: string) => NativeDatabase;
    this.native = new Native(file);
    this.native.pragma(durability === 'full' ? 'journal_mode=WAL' : 'journal_mode=OFF');
    this.native.pragma(durability === 'full' ? 'synchronous=FULL' : 'synchronous=OFF');
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

  run(sql: string, params: readonly SqlValue[] = []): { readonly changes: number; readonly lastInsertId: number } {
    const statement = this.prepared(sql);
    if (statement.reader) {
      statement.all(bound(sql, params));
      return { changes: 0, lastInsertId: 0 };
    }
    const { changes, lastInsertRowid } = statement.run(bound(sql, params));
    return { changes, lastInsertId: Number(lastInsertRowid) };
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
