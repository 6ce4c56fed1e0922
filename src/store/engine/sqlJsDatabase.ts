import { StoreError } from '../storeError';
import type { FileRole } from './databaseFiles';
import type { SqlDatabase, SqlRow, SqlValue } from './sqlDatabase';
import type { Connection } from './sqlite';
import { sqlFailure, storeError } from './sqlFailure';
import { bindable, currentRow } from './sqlValues';
import type { PreparedStatement } from './statementCache';
import { StatementCache } from './statementCache';

/** The store's database over sql.js. Synchronous; errors are `StoreError`s with the disk's own reason. */
export class SqlJsDatabase implements SqlDatabase {
  private readonly statements: StatementCache;
  private transactionOpen = false;
  private closed = false;
  /** Why no further call is possible on this connection. */
  private broken: string | undefined;
  private displacement: StoreError | undefined;

  /** `assertOwned` throws when this process no longer owns the file (src/store/lock). It is asked before a commit, so that nothing is
   *  written into a file another process has, and again after it, so that nothing is acknowledged that the other may have overwritten. */
  constructor(
    private readonly connection: Connection,
    private readonly assertOwned: () => void,
  ) {
    this.statements = new StatementCache(connection.handle);
  }

  run(sql: string, params: readonly SqlValue[] = []): { readonly changes: number; readonly lastInsertId: number } {
    const result = this.using(sql, params, ({ statement, insertsRows }) => {
      statement.step();
      const changes = this.connection.handle.getRowsModified();
      return { changes, insertsRows };
    });
    return { changes: result.changes, lastInsertId: result.insertsRows ? this.lastInsertId() : 0 };
  }

  get(sql: string, params: readonly SqlValue[] = []): SqlRow | undefined {
    return this.using(sql, params, ({ statement, columns }) =>
      statement.step() ? currentRow(statement, columns) : undefined,
    );
  }

  all(sql: string, params: readonly SqlValue[] = []): readonly SqlRow[] {
    return this.using(sql, params, ({ statement, columns }) => {
      const rows: SqlRow[] = [];
      while (statement.step()) rows.push(currentRow(statement, columns));
      return rows;
    });
  }

  *iterate(sql: string, params: readonly SqlValue[] = []): IterableIterator<SqlRow> {
    const values = bindable(params);
    const prepared = this.guarded(sql, () => this.statements.take(sql));
    const { statement, columns } = prepared;
    try {
      this.guarded(sql, () => statement.bind(values));
      while (this.guarded(sql, () => statement.step())) yield this.guarded(sql, () => currentRow(statement, columns));
    } finally {
      // Closing the database freed the statement already.
      if (!this.closed) this.statements.giveBack(sql, prepared);
    }
  }

  /** When COMMIT itself fails the outcome is unknown: the log may hold the transaction completely. Read again before repeating it. */
  transaction<T>(work: () => T): T {
    if (this.transactionOpen) throw storeError('invalid', 'a transaction inside a transaction');
    this.assertOwned();
    const result = this.enclosed('BEGIN IMMEDIATE', work, this.assertOwned);
    this.assertOwned();
    this.assertInPlace();
    return result;
  }

  /** Inside a transaction the work simply runs in it: it already has its snapshot. */
  readTransaction<T>(work: () => T): T {
    if (this.transactionOpen) return work();
    // Another process may be rewriting the pages that a process which lost the store reads.
    const result = this.enclosed('BEGIN', work, this.assertOwned);
    this.assertOwned();
    return result;
  }

  execute(sql: string): void {
    if (!this.transactionOpen) this.assertOwned();
    this.statements.clear();
    this.guarded(sql, () => this.connection.handle.run(sql));
  }

  /** Whether no further write can succeed on this connection, so that the file has to be opened again. */
  get mustReopen(): boolean {
    return this.broken !== undefined || this.displacement !== undefined || this.connection.mounted.mustReopen;
  }

  /** Bytes of the main file and of the log, as they are on disk. */
  sizes(): { readonly fileBytes: number; readonly logBytes: number } {
    const { mounted } = this.connection;
    return { fileBytes: mounted.sizeOf('main'), logBytes: mounted.sizeOf('log') };
  }

  /** Checkpoints the log into the file and removes it. When that fails the log stays and the next opening reads it, so nothing is lost.
   *  A file that another process owns by now is left as it is. Safe to call twice. */
  close(): void {
    if (this.closed) return;
    try {
      this.assertOwned();
      if (this.connection.mounted.mayWrite) this.assertInPlace('all');
    } catch {
      this.connection.mounted.freeze();
    }
    this.closed = true;
    this.statements.clear();
    const { handle, mounted, release } = this.connection;
    try {
      handle.close();
    } catch (error) {
      throw sqlFailure(error, mounted.diskFailure);
    } finally {
      release();
    }
  }

  /** Closes without writing anything: the log stays beside the file. */
  abandon(): void {
    this.connection.mounted.freeze();
    this.close();
  }

  private enclosed<T>(begin: string, work: () => T, beforeCommit: () => void): T {
    this.statement(begin);
    this.transactionOpen = true;
    try {
      const result = work();
      if (result instanceof Promise) throw storeError('invalid', 'a transaction cannot wait for a promise');
      beforeCommit();
      this.statement('COMMIT');
      return result;
    } catch (error) {
      this.rollBack();
      throw error;
    } finally {
      this.transactionOpen = false;
    }
  }

  /** SQLite has rolled back by itself after some errors (full disk, I/O); any other failure leaves the connection in an unknown state. */
  private rollBack(): void {
    try {
      this.connection.handle.run('ROLLBACK');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!reason.includes('no transaction is active'))
        this.broken = `a transaction could not be rolled back: ${reason}`;
    }
  }

  /** A file that was moved away or deleted while it is open takes writes as before, and nobody finds them again (hermes-agent#100960). Throws
   *  `replaced`, after what it holds was brought to safety. */
  private assertInPlace(names: 'most' | 'all' = 'most'): void {
    const { mounted } = this.connection;
    const role = mounted.displaced(names);
    if (role === null) return;
    const kept = this.rescue(role);
    mounted.freeze();
    this.displacement = new StoreError(
      'replaced',
      `The file that holds your sessions was moved or replaced while it was in use. ${kept.sentence}Choose Try Again to go on with what lies in its place now.`,
      `${mounted.pathOf(role)} is not the file that was opened${kept.technical}`,
    );
    throw this.displacement;
  }

  /** The log's pages go into the main file, and a main file that is not at its place any more is copied beside the other one. */
  private rescue(role: FileRole): { readonly sentence: string; readonly technical: string } {
    try {
      this.statements.clear();
      this.connection.handle.run('PRAGMA wal_checkpoint(TRUNCATE)');
      if (role === 'log') return { sentence: 'Everything saved is in it. ', technical: '' };
      const path = this.connection.mounted.copyMain();
      return { sentence: `What it held is kept in ${path}. `, technical: `; copied to ${path}` };
    } catch (error) {
      return {
        sentence: '',
        technical: `; it could not be copied: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
  }

  private statement(sql: string): void {
    this.using(sql, [], ({ statement }) => statement.step());
  }

  private lastInsertId(): number {
    const id = this.get('SELECT last_insert_rowid() AS id')?.['id'];
    return typeof id === 'number' ? id : 0;
  }

  private using<T>(sql: string, params: readonly SqlValue[], work: (prepared: PreparedStatement) => T): T {
    const values = bindable(params);
    return this.guarded(sql, () => {
      const prepared = this.statements.take(sql);
      // A statement on its own is its own transaction.
      const fenced = !this.transactionOpen && prepared.mayWrite;
      try {
        if (fenced) this.assertOwned();
        prepared.statement.bind(values);
        const result = work(prepared);
        if (fenced) this.assertOwned();
        return result;
      } finally {
        this.statements.giveBack(sql, prepared);
      }
    });
  }

  private guarded<T>(sql: string, work: () => T): T {
    if (this.closed) throw storeError('unknown', 'the database is closed');
    if (this.displacement !== undefined) throw this.displacement;
    if (this.broken !== undefined) throw storeError('unknown', this.broken);
    const { mounted } = this.connection;
    mounted.forgetFailure();
    try {
      return work();
    } catch (error) {
      const failure = sqlFailure(error, mounted.diskFailure, sql);
      // A file that another process writes by now looks damaged from here. It must not be set aside for that.
      if (failure.causeClass === 'corrupt') this.assertOwned();
      throw failure;
    }
  }
}
