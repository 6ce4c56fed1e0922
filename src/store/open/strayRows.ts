import type { SqlRow } from '../engine/sqlDatabase';
import type { PageFile } from './pageFile';
import type { TableShape } from './tableShape';
import { recordsIn } from './treeLeaf';

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
