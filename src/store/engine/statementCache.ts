import type { Database, Statement } from 'sql.js';

/** A prepared statement and the facts about it that are determined once. */
export interface PreparedStatement {
  readonly statement: Statement;
  readonly columns: readonly string[];
  /** False for a query. True for a pragma: a checkpoint is one. */
  readonly mayWrite: boolean;
}

/** The store repeats only a few statements. More than this means that SQL text is built per call; then the oldest
 *  are evicted. */
const capacity = 256;

/** Caches prepared statements by their text. A statement is lent to one user at a time: while it is lent, the same
 *  text gets a second one. */
export class StatementCache {
  private readonly free = new Map<string, PreparedStatement>();
  private readonly lent = new Set<PreparedStatement>();

  constructor(private readonly database: Database) {}

  take(sql: string): PreparedStatement {
    const prepared = this.find(sql);
    this.lent.add(prepared);
    return prepared;
  }

  private find(sql: string): PreparedStatement {
    const kept = this.free.get(sql);
    if (kept !== undefined) {
      this.free.delete(sql);
      return kept;
    }
    const statement = this.database.prepare(sql);
    return {
      statement,
      columns: statement.getColumnNames(),
      mayWrite: !/^\s*(select|begin)\b/i.test(sql),
    };
  }

  giveBack(sql: string, prepared: PreparedStatement): void {
    this.lent.delete(prepared);
    prepared.statement.reset();
    if (this.free.has(sql)) {
      prepared.statement.free();
      return;
    }
    this.free.set(sql, prepared);
    if (this.free.size <= capacity) return;
    for (const [oldest, { statement }] of this.free) {
      statement.free();
      this.free.delete(oldest);
      return;
    }
  }

  /** Ends every query that is being read, so that the connection has no open transaction. Their readers must not
   *  continue. */
  interrupt(): void {
    for (const { statement } of this.lent) statement.reset();
  }

  /** Forgets every statement, for example after a schema change: `SELECT *` may then have other columns. */
  clear(): void {
    for (const { statement } of this.free.values()) statement.free();
    this.free.clear();
  }
}
