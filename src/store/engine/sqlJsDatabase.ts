import { t } from '../../base/translate';
import { errorMessage } from '../../base/errorMessage';
import { StoreError } from '../storeError';
import { rescue } from './rescue';
import type { SqlDatabase, SqlRow, SqlValue } from './sqlDatabase';
import type { Connection } from './sqlite';
import { sqlFailure, storeError } from './sqlFailure';
import { type PreparedStatement, StatementCache } from './statementCache';
import { dirname } from 'node:path';
import { writeNewFile } from './fileSystem';
import { journalBytes, rollbackJournal } from './sqliteAbi';
import type { Statement } from 'sql.js';

/** Checks and prepares values for sql.js. Throws `invalid` for numbers that SQLite or JavaScript could not return
 *  unchanged. */
function bindable(params: readonly SqlValue[]): SqlValue[] {
  return params.map((value) => {
    // One U+FFFD for a lone surrogate; sql.js's own encoder would write three.
    if (typeof value === 'string') return value.toWellFormed();
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw storeError('invalid', `cannot store the number ${value}`);
      if (Number.isInteger(value) && !Number.isSafeInteger(value))
        throw storeError('invalid', `the integer ${value} would lose digits`);
    } else if (value !== null && !(value instanceof Uint8Array)) {
      throw storeError('invalid', `cannot store a value of type ${typeof value}`);
    }
    return value;
  });
}

/** The statement's current row. An integer that JavaScript cannot hold is returned as the nearest number it can: one
 *  such value, which only damage or another program leaves, must not hide the row. It cannot be written back. */
function currentRow(statement: Statement, columns: readonly string[]): SqlRow {
  const values = statement.get(null, { useBigInt: false });
  const row = { ...emptyRow(columns) };
  for (let index = 0; index < columns.length; index++) {
    const value = values[index] ?? null;
    row[columns[index] ?? ''] = typeof value === 'bigint' ? Number(value) : value;
  }
  return row;
}

const emptyRows = new WeakMap<readonly string[], Record<string, SqlValue>>();

/** A template row to copy: adding the columns to an object one by one costs the engine several times as much for a
 *  long list. */
function emptyRow(columns: readonly string[]): Readonly<Record<string, SqlValue>> {
  let row = emptyRows.get(columns);
  if (row === undefined) {
    row = Object.fromEntries(columns.map((column) => [column, null]));
    emptyRows.set(columns, row);
  }
  return row;
}

/** Bytes of a database. The image is made in memory, which may not hold a larger one. */
const largestImage = 512 * 1024 * 1024;

/** Saves the database as this connection sees it, including its pages in memory, to a separate file that appears
 *  only when complete. Pages that no longer exist anywhere are zeros in it. Returns its path, or null when none is
 *  kept. Must not run inside a write transaction; throws the disk's error. */
function keepImage({ handle, mounted }: Connection): string | null {
  const { fileSystem, mainPath, imagePath } = mounted.files;
  if (imagePath === undefined || mounted.leastSize > largestImage) return null;
  const path = imagePath();
  const unfinished = `${mainPath}.new`;
  mounted.showsZeros = true;
  try {
    const image = handle.export();
    for (const offset of journalBytes) image[offset] = rollbackJournal;
    if (fileSystem.stat(unfinished) !== undefined) fileSystem.remove(unfinished);
    writeNewFile(fileSystem, unfinished, image);
    fileSystem.rename(unfinished, path);
    fileSystem.syncFolder(dirname(path));
    return path;
  } finally {
    mounted.showsZeros = false;
  }
}

/** The store's database over sql.js. Synchronous; errors are `StoreError`s with the disk's own reason. */
export class SqlJsDatabase implements SqlDatabase {
  private readonly statements: StatementCache;
  private transactionOpen = false;
  private closed = false;
  /** The reason why no further call is possible on this connection. Default: none. */
  private broken: string | undefined;
  private displacement: StoreError | undefined;

  /** `assertLocked` throws when this process no longer owns the file (src/store/lock). It is called before a commit,
   *  so that nothing is written into another process's file. It is called again after the commit, so that nothing is
   *  acknowledged that the other process may have overwritten. */
  constructor(
    private readonly connection: Connection,
    private readonly assertLocked: () => void,
  ) {
    this.statements = new StatementCache(connection.handle);
  }

  run(sql: string, params: readonly SqlValue[] = []): { readonly changes: number } {
    return this.using(sql, params, ({ statement }) => {
      statement.step();
      return { changes: this.connection.handle.getRowsModified() };
    });
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
      // Closing the database has already freed the statement.
      if (!this.closed) this.statements.giveBack(sql, prepared);
    }
  }

  /** When COMMIT itself fails, the outcome is unknown: the log may hold the whole transaction. Read again before
   *  repeating it. */
  transaction<T>(work: () => T): T {
    if (this.transactionOpen) throw storeError('invalid', 'a transaction inside a transaction');
    this.assertOwned();
    // Also checked before: a failed transaction's pages are dropped from SQLite's memory, which may hold the only copy
    // of those pages.
    this.assertWhole();
    const result = this.enclosed('BEGIN IMMEDIATE', work);
    this.assertOwned();
    this.assertInPlace();
    this.assertWhole();
    return result;
  }

  /** Inside a transaction `work` simply runs in it: it already has its snapshot. */
  readTransaction<T>(work: () => T): T {
    if (this.transactionOpen) return work();
    // The process that took over the store may rewrite pages while this one still reads.
    const result = this.enclosed('BEGIN', work);
    this.assertOwned();
    return result;
  }

  execute(sql: string): void {
    if (!this.transactionOpen) this.assertOwned();
    this.statements.clear();
    this.guarded(sql, () => this.connection.handle.run(sql));
  }

  /** True when no further write can succeed on this connection, so that the file has to be reopened. */
  get mustReopen(): boolean {
    return this.broken !== undefined || this.displacement !== undefined || this.connection.mounted.mustReopen;
  }

  /** Bytes of the main file and of the log on disk. */
  sizes(): { readonly fileBytes: number; readonly logBytes: number } {
    const { mounted } = this.connection;
    return { fileBytes: mounted.sizeOf('main'), logBytes: mounted.sizeOf('log') };
  }

  /** Checkpoints the log into the file and removes the log. If that fails, the log stays and the next opening reads
   *  it, so nothing is lost. A file that another process now owns stays as it is. Safe to call twice. */
  close(): void {
    if (this.closed) return;
    try {
      this.assertOwned();
      this.assertInPlace('all');
      this.assertWhole();
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

  /** Closes without a write: the log stays beside the file. */
  abandon(): void {
    this.connection.mounted.freeze();
    this.close();
  }

  private enclosed<T>(begin: string, work: () => T): T {
    this.run(begin);
    this.transactionOpen = true;
    try {
      const result = work();
      if (result instanceof Promise) throw storeError('invalid', 'a transaction cannot wait for a promise');
      this.assertLocked();
      this.run('COMMIT');
      return result;
    } catch (error) {
      this.rollBack();
      this.transactionOpen = false;
      // Checks ownership again outside the transaction, where files can be examined and saved.
      if (isLoss(error)) this.assertOwned();
      this.assertWhole();
      throw error;
    } finally {
      this.transactionOpen = false;
    }
  }

  /** Rolls back. After some errors (full disk, I/O) SQLite has already rolled back; any other failure leaves the
   *  connection in an unknown state. */
  private rollBack(): void {
    try {
      this.connection.handle.run('ROLLBACK');
    } catch (error) {
      const reason = errorMessage(error);
      if (!reason.includes('no transaction is active'))
        this.broken = `a transaction could not be rolled back: ${reason}`;
    }
  }

  /** Throws when this process no longer holds the lock. A lock that disappeared together with the files does not
   *  mean another window: the error then describes the files, after their content was saved. */
  private assertOwned(): void {
    try {
      this.assertLocked();
    } catch (error) {
      if (!isLoss(error) || this.transactionOpen) throw error;
      this.assertInPlace('all', false);
      // Another lock may have come and gone before the next check of this one.
      if (error.causeClass === 'deleted') this.displacement ??= error;
      throw error;
    }
  }

  /** Checks that the files are still at their names. A file that was moved or deleted while open still accepts
   *  writes, but they are lost (hermes-agent#100960). Saves its content, then throws the reason why it can no longer
   *  be used. */
  private assertInPlace(names: 'most' | 'all' = 'most', owned = true): void {
    if (this.displacement !== undefined) throw this.displacement;
    const { mounted } = this.connection;
    const role = mounted.mayWrite ? mounted.displaced(names) : null;
    if (role === null) return;
    this.statements.interrupt();
    this.statements.clear();
    this.displacement = rescue(this.connection, { role, owned });
    mounted.freeze();
    throw this.displacement;
  }

  /** Checks that no file was cut short. Such a file may read well for long, from SQLite's memory, until its pages
   *  are needed again. Saves everything that memory, log and file still hold together for the next opening, then
   *  throws `corrupt`. */
  private assertWhole(): void {
    const { mounted } = this.connection;
    const cut = this.displacement === undefined && mounted.mayWrite ? mounted.cutShort() : null;
    if (cut === null) return;
    this.assertOwned();
    const kept = this.keepImage();
    mounted.freeze();
    this.displacement = new StoreError(
      'corrupt',
      t(
        'The file that holds your sessions was cut short by another program while it was in use. Everything that can still be read is moved into a new one; the rest of the old file is kept.',
      ),
      `${mounted.pathOf(cut)} is shorter than it was written${kept}`,
    );
    throw this.displacement;
  }

  private keepImage(): string {
    try {
      this.statements.clear();
      const path = keepImage(this.connection);
      return path === null ? '' : `; kept as it was seen in ${path}`;
    } catch (error) {
      return `; no image could be kept: ${errorMessage(error)}`;
    }
  }

  private using<T>(sql: string, params: readonly SqlValue[], work: (prepared: PreparedStatement) => T): T {
    const values = bindable(params);
    return this.guarded(sql, () => {
      const prepared = this.statements.take(sql);
      // A single statement outside a transaction is its own transaction.
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
      // A file that another process now writes looks damaged from here. It must not be set aside for that.
      if (failure.causeClass === 'corrupt') this.assertOwned();
      // Inside a transaction the check runs after the rollback.
      if (!this.transactionOpen) this.assertWhole();
      throw failure;
    }
  }
}

/** True when an error of the lock means that this process no longer owns the files. */
function isLoss(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.causeClass === 'replaced' || error.causeClass === 'deleted');
}
