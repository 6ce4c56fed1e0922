import type { SqlDatabase, SqlRow, SqlValue } from '../engine/sqlDatabase';
import { StoreError } from '../storeError';

/** Looks into the damaged stretch of one table before the rest of it is given up. A broken page costs about two for each of its rows. */
const probesPerTable = 200_000;
/** How far beyond the last readable row rows are looked for when nothing tells where the table ends. */
const blindReach = 65_536;

const rowNumber = 'salvaged_rowid';

/** Every row of a table that can be read, in no particular order; returns whether that is all of them. Reads from the front until a broken
 *  page stops it, then from the back, then halves the stretch between until nothing readable is left in it. */
export function* readableRows(database: SqlDatabase, table: string): Generator<SqlRow, boolean> {
  const columns = keyColumns(database, table);
  if (columns === undefined) return true;
  return yield* columns.length === 0 ? new NumberedTable(database, table).rows() : keyedRows(database, table, columns);
}

/** The primary key of a table without row numbers; empty for a table with them, undefined when there is no such table. */
function keyColumns(database: SqlDatabase, table: string): readonly string[] | undefined {
  try {
    const found = database.get("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", [table]);
    if (found === undefined) return undefined;
    if (!/\bWITHOUT\s+ROWID\b/i.test(String(found['sql']))) return [];
    return database
      .all(`PRAGMA table_info(${quoted(table)})`)
      .filter((column) => Number(column['pk']) > 0)
      .sort((a, b) => Number(a['pk']) - Number(b['pk']))
      .map((column) => String(column['name']));
  } catch (error) {
    return unreadable(error);
  }
}

/** From the front until something cannot be read, then from the back until the same, or until a row seen before. */
function* keyedRows(database: SqlDatabase, table: string, key: readonly string[]): Generator<SqlRow, boolean> {
  const keyOf = (row: SqlRow): string => JSON.stringify(key.map((column) => String(row[column])));
  const order = (direction: string): string => key.map((column) => `${quoted(column)} ${direction}`).join(', ');
  const seen = new Set<string>();
  for (const direction of ['ASC', 'DESC']) {
    const reading = untilUnreadable(
      database,
      `SELECT * FROM ${quoted(table)} NOT INDEXED ORDER BY ${order(direction)}`,
      [],
    );
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done === true) {
        if (next.value) return direction === 'ASC';
        break;
      }
      const rowKey = keyOf(next.value);
      if (seen.has(rowKey)) return false;
      seen.add(rowKey);
      yield next.value;
    }
  }
  return false;
}

/** A stretch of row numbers, both ends not included, in which something could not be read. */
interface Gap {
  readonly after: number;
  readonly before: number;
}

class NumberedTable {
  private probesLeft = probesPerTable;
  private readonly gaps: Gap[] = [];

  constructor(
    private readonly database: SqlDatabase,
    private readonly table: string,
  ) {}

  *rows(): Generator<SqlRow, boolean> {
    let after = -1;
    const front = this.reading('> ? ORDER BY rowid', [after]);
    for (let next = front.next(); ; next = front.next()) {
      if (next.done === true) {
        if (next.value) return true;
        break;
      }
      after = next.value.number;
      yield next.value.row;
    }
    yield* this.backTo(after, this.lastKnownNumber(after));
    for (let gap = this.gaps.pop(); gap !== undefined && this.probesLeft > 0; gap = this.gaps.pop())
      yield* this.halve(gap);
    return false;
  }

  /** Reads backwards from `before` (or the end) and leaves what lies between there and `after` as a gap. */
  private *backTo(after: number, endUnlessFound: number): Generator<SqlRow> {
    let before: number | undefined;
    const back = this.reading('> ? ORDER BY rowid DESC', [after]);
    for (let next = back.next(); ; next = back.next()) {
      if (next.done === true) {
        if (next.value) return;
        break;
      }
      before = next.value.number;
      yield next.value.row;
    }
    this.leave({ after, before: before ?? endUnlessFound });
  }

  private *halve({ after, before }: Gap): Generator<SqlRow> {
    const middle = Math.floor((after + before) / 2);
    let last = middle - 1;
    const upper = this.reading('>= ? AND rowid < ? ORDER BY rowid', [middle, before]);
    for (let next = upper.next(); ; next = upper.next()) {
      if (next.done === true) {
        if (!next.value) this.leave({ after: Math.max(last, middle), before });
        break;
      }
      last = next.value.number;
      yield next.value.row;
    }
    let first = middle;
    const lower = this.reading('< ? AND rowid > ? ORDER BY rowid DESC', [middle, after]);
    for (let next = lower.next(); ; next = lower.next()) {
      if (next.done === true) {
        if (!next.value) this.leave({ after, before: first });
        break;
      }
      first = next.value.number;
      yield next.value.row;
    }
  }

  private leave(gap: Gap): void {
    if (gap.before - gap.after > 1) this.gaps.push(gap);
  }

  /** The highest row number the table ever gave, where SQLite keeps it. */
  private lastKnownNumber(after: number): number {
    try {
      const sequence = this.database.get('SELECT seq FROM sqlite_sequence WHERE name = ?', [this.table])?.['seq'];
      if (typeof sequence === 'number' && sequence > after) return sequence + 1;
    } catch (error) {
      unreadable(error);
    }
    return after + blindReach;
  }

  private *reading(
    condition: string,
    params: readonly SqlValue[],
  ): Generator<{ readonly number: number; readonly row: SqlRow }, boolean> {
    this.probesLeft -= 1;
    const sql = `SELECT rowid AS ${rowNumber}, * FROM ${quoted(this.table)} NOT INDEXED WHERE rowid ${condition}`;
    const reading = untilUnreadable(this.database, sql, params);
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done === true) return next.value;
      const { [rowNumber]: number, ...row } = next.value;
      if (typeof number === 'number') yield { number, row };
    }
  }
}

/** Returns true when it came to the end, false when something could not be read. */
function* untilUnreadable(database: SqlDatabase, sql: string, params: readonly SqlValue[]): Generator<SqlRow, boolean> {
  try {
    for (const row of database.iterate(sql, params)) yield row;
    return true;
  } catch (error) {
    unreadable(error);
    return false;
  }
}

/** Lets pass what a damaged file makes SQLite say; anything else is thrown on. */
function unreadable(error: unknown): undefined {
  if (error instanceof StoreError) return undefined;
  throw error;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
