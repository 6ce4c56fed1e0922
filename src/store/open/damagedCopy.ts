import type { FileSystem, OpenFile } from '../engine/fileSystem';
import type { SqlRow, SqlDatabase } from '../engine/sqlDatabase';
import type { Sqlite } from '../engine/sqlite';
import { SqlJsDatabase } from '../engine/sqlJsDatabase';
import { StoreError } from '../storeError';
import { headerSize, pageSize, parseHeader, pageSize as usualPageSize } from './fileHeader';
import { readLog, type LogPages } from './logPages';
import { finishQuarantine } from './quarantine';
import { logOf, pendingPath } from './storeFiles';
import type { TableShape } from './tableShape';
import { recordsIn } from './treeLeaf';

const olderPageSize = 4096;

/** The pages of a database file and its log as of the last commit, read without SQLite and in any state. */
export class PageFile {
  readonly pageSize: number;
  /** Highest valid page number. */
  readonly pages: number;
  private readonly file: OpenFile;
  private readonly log: LogPages | undefined;

  /** The file must exist. The caller must close this object. */
  constructor(fileSystem: FileSystem, path: string) {
    this.file = fileSystem.open(path, 'read');
    const start = new Uint8Array(usualPageSize);
    const header = parseHeader(start.subarray(0, this.file.read(start, 0)));
    this.log = readLog(fileSystem, logOf(path), 'salts');
    this.pageSize = this.log?.pageSize ?? (header?.sound === true ? header.pageSize : this.likelyPageSize());
    this.pages = Math.max(Math.ceil(this.file.size() / this.pageSize), this.log?.databasePages ?? 0);
  }

  /** The page with this number, counted from 1; undefined when it is missing or incomplete. */
  read(page: number): Uint8Array | undefined {
    if (page < 1 || page > this.pages) return undefined;
    const inLog = this.log?.pages.get(page);
    if (inLog !== undefined) return inLog;
    const bytes = new Uint8Array(this.pageSize);
    return this.file.read(bytes, (page - 1) * this.pageSize) === this.pageSize ? bytes : undefined;
  }

  /** For a file whose first page is lost: 4096, as older stores have, unless pages begin between those. */
  private likelyPageSize(): number {
    const page = new Uint8Array(usualPageSize);
    for (let at = usualPageSize; this.file.read(page, at) === usualPageSize; at += olderPageSize)
      if (isTreePage(page)) return usualPageSize;
    return olderPageSize;
  }

  close(): void {
    this.file.close();
  }
}

/** True for the beginning of a page of a tree: its kind, and cells that are in it. */
function isTreePage(page: Uint8Array): boolean {
  const view = new DataView(page.buffer);
  const [cells, content] = [view.getUint16(3), view.getUint16(5)];
  return [2, 5, 10, 13].includes(view.getUint8(0)) && cells > 0 && content <= page.length && content >= 8 + cells * 2;
}

/** Rows of a file, read page by page, for tables whose trees are broken. The shape of a page's rows determines its
 *  table. */
export class StrayRows {
  private pagesOf: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(
    private readonly file: PageFile,
    private readonly shapes: readonly TableShape[],
  ) {}

  /** Whole rows come first: a row may also exist in a truncated version. */
  *rows(table: string): Generator<SqlRow> {
    const shape = this.shapes.find((one) => one.table === table);
    if (shape === undefined) return;
    const cut: SqlRow[] = [];
    for (const page of this.pages().get(table) ?? []) {
      for (const record of this.records(page)) {
        // One odd value does not make it a row of another table.
        const row = shape.rowOf(record);
        if (record.isWhole) yield row;
        else cut.push(row);
      }
    }
    yield* cut;
  }

  private records(page: number): ReturnType<typeof recordsIn> {
    const bytes = this.file.read(page);
    return bytes === undefined ? [] : recordsIn(bytes, page, (next) => this.file.read(next));
  }

  private pages(): ReadonlyMap<string, readonly number[]> {
    if (this.pagesOf !== undefined) return this.pagesOf;
    const pages = new Map<string, number[]>();
    for (let page = 1; page <= this.file.pages; page++) {
      const table = this.tableOf(this.records(page));
      if (table === null) continue;
      const known = pages.get(table);
      if (known === undefined) pages.set(table, [page]);
      else known.push(page);
    }
    this.pagesOf = pages;
    return pages;
  }

  /** A page holds rows of one table only: the one that most of them fit. */
  private tableOf(records: ReturnType<typeof recordsIn>): string | null {
    let [table, most]: [string | null, number] = [null, 0];
    for (const shape of this.shapes) {
      const count = records.filter((record) => shape.fits(record)).length;
      if (count > most) [table, most] = [shape.table, count];
    }
    return table;
  }
}

/** The rows of a damaged file, table by table. */
interface SalvagedRows {
  /** All readable rows of a table; none for a table that does not exist. Rows may hold anything: damage can look
   *  like data. */
  rows(table: string): Iterable<SqlRow>;
}

/** The store that replaces a damaged file. */
interface Successor {
  /** Replaces the copy's own first page when that is lost. */
  firstPage(): Uint8Array;
  /** Shapes of the rows of its tables. */
  shapes(): readonly TableShape[];
}

/** A damaged file, opened by SQLite. */
interface Tree {
  readonly database: SqlJsDatabase;
  /** True when the first page was taken from the new store, so tables may begin at other pages than it says: a file
   *  whose schema was updated over time has them elsewhere. */
  readonly isGuess: boolean;
}

/** A damaged file that was set aside and may hold rows that the new store does not have yet. Keeps this state across
 *  crashes until `finish`. */
export class DamagedCopy {
  readonly path: string;

  /** `successor`: the store that receives the copy's rows. */
  constructor(
    private readonly sqlite: Sqlite,
    private readonly fileSystem: FileSystem,
    private readonly folder: string,
    private readonly stamp: string,
    private readonly successor: Successor,
  ) {
    this.path = pendingPath(folder, stamp);
  }

  /** Passes the readable rows to `carry`, which must tolerate seeing them twice: a crash before `finish` repeats the
   *  call. `isComplete`: false when something in a table that was read is lost. */
  salvage<T>(carry: (rows: SalvagedRows) => T): { readonly result: T; readonly isComplete: boolean } {
    const shapes = this.successor.shapes();
    const pages = new PageFile(this.fileSystem, this.path);
    const tree = this.open(pages.pageSize);
    const stray = new StrayRows(pages, shapes);
    let isComplete = true;
    try {
      const rows = function* (table: string): Generator<SqlRow> {
        const shape = shapes.find((one) => one.table === table);
        isComplete = (yield* tableRows(tree, stray, table, shape)) && isComplete;
      };
      return { result: carry({ rows }), isComplete };
    } finally {
      pages.close();
      tree?.database.abandon();
    }
  }

  /** Marks the copy as fully read. Returns its final path; the file is kept. */
  finish(): string {
    return finishQuarantine(this.fileSystem, this.folder, this.stamp);
  }

  /** Opens the file as it is. If its first page does not lead to any table, opens it with the fixed fields of a
   *  valid header, then with the whole first page of the new store, if that has pages of the same size. Both files were
   *  made by the same statements in the same order, so their tables begin at the same pages. Undefined when none of
   *  these can be read. */
  private open(bytesOfPage: number): Tree | undefined {
    const size = this.fullSize();
    if (size === 0) return undefined;
    const firstPages: readonly (() => Uint8Array | undefined)[] = [
      () => undefined,
      () => {
        const own = firstPageOf(this.fileSystem, this.path, bytesOfPage);
        own.set(withUnknownPageCount(this.successor.firstPage()).subarray(0, headerSize));
        new DataView(own.buffer).setUint16(16, bytesOfPage);
        return own;
      },
      ...(bytesOfPage === pageSize ? [() => withUnknownPageCount(this.successor.firstPage())] : []),
    ];
    for (const [index, firstPage] of firstPages.entries()) {
      const database = this.openWith(size, firstPage());
      if (database !== undefined) return { database, isGuess: index === 2 };
    }
    return undefined;
  }

  private openWith(size: number, firstPage: Uint8Array | undefined): SqlJsDatabase | undefined {
    let database: SqlJsDatabase | undefined;
    try {
      const connection = this.sqlite.connect({
        fileSystem: this.fileSystem,
        folder: this.folder,
        mainPath: this.path,
        logPath: logOf(this.path),
        readOnly: true,
        repaired: firstPage === undefined ? { size } : { size, firstPage },
      });
      database = new SqlJsDatabase(connection, () => undefined);
      for (const pragma of ['locking_mode=EXCLUSIVE', 'query_only=ON', 'cell_size_check=ON'])
        database.all(`PRAGMA ${pragma}`);
      const tables = database.get("SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'")?.['n'];
      if (typeof tables === 'number' && tables > 0) return database;
    } catch (error) {
      // The file may be in any state; any error from SQLite means that this way of reading it does not work.
      if (!(error instanceof StoreError)) throw error;
    }
    database?.abandon();
    return undefined;
  }

  /** Expected size of the database in bytes: missing pages read as zeros, so that SQLite can read the rest. */
  private fullSize(): number {
    const onDisk = this.fileSystem.stat(this.path)?.size ?? 0;
    const header = parseHeader(firstPageOf(this.fileSystem, this.path));
    const inHeader = header?.sound === true ? (header.pageCount ?? 0) * header.pageSize : 0;
    const log = readLog(this.fileSystem, logOf(this.path), 'salts');
    return Math.max(onDisk, inHeader, log === undefined ? 0 : log.databasePages * log.pageSize);
  }
}

/** Yields all readable rows of a table. First those its tree leads to, then, if that is not all, those in pages that
 *  nothing leads to any more. Returns true when these are all the rows there ever were, as far as can be determined. */
function* tableRows(
  tree: Tree | undefined,
  stray: StrayRows,
  table: string,
  shape: TableShape | undefined,
): Generator<SqlRow, boolean> {
  const seen = new Set<string>();
  let isComplete = tree !== undefined;
  if (tree !== undefined) {
    const reading = readableRows(tree.database, table);
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done === true) {
        isComplete = next.value;
        break;
      }
      if (tree.isGuess && shape?.holds(next.value) === false) continue;
      if (shape !== undefined) seen.add(shape.keyOf(next.value));
      yield next.value;
    }
  }
  if (shape === undefined || (isComplete && tree?.isGuess === false)) return isComplete;
  for (const row of stray.rows(table)) {
    const key = shape.keyOf(row);
    if (seen.has(key)) continue;
    seen.add(key);
    isComplete = false;
    yield row;
  }
  return isComplete;
}

/** Makes SQLite take the page count from the file's size, which it does when the two change counters differ. */
function withUnknownPageCount(firstPage: Uint8Array): Uint8Array {
  const page = firstPage.slice();
  const view = new DataView(page.buffer);
  view.setUint32(24, 1);
  view.setUint32(92, 0);
  return page;
}

/** The first page of a file as of its last checkpoint; zeros where it is shorter. */
export function firstPageOf(fileSystem: FileSystem, path: string, bytesOfPage = pageSize): Uint8Array {
  const file = fileSystem.open(path, 'read');
  try {
    const bytes = new Uint8Array(bytesOfPage);
    file.read(bytes, 0);
    return bytes;
  } finally {
    file.close();
  }
}

/** Yields the rows of a table from the first one until a row cannot be read. Returns true when those were all rows,
 *  also when the table does not exist. Rows after a broken page are found without the tree (`StrayRows`). */
export function* readableRows(database: SqlDatabase, table: string): Generator<SqlRow, boolean> {
  try {
    if (database.get("SELECT 1 AS n FROM sqlite_master WHERE type = 'table' AND name = ?", [table]) === undefined)
      return true;
    for (const row of database.iterate(`SELECT * FROM "${table.replaceAll('"', '""')}" NOT INDEXED`)) yield row;
    return true;
  } catch (error) {
    // Any error that a damaged file causes in SQLite.
    if (error instanceof StoreError) return false;
    throw error;
  }
}
