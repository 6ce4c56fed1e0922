import type { Statement } from 'sql.js';
import type { SqlRow, SqlValue } from './sqlDatabase';
import { storeError } from './sqlFailure';

/** Checks and prepares values for sql.js. Throws `invalid` for numbers that SQLite or JavaScript could not return
 *  unchanged. */
export function bindable(params: readonly SqlValue[]): SqlValue[] {
  return params.map((value) => {
    if (typeof value === 'string') return wellFormed(value);
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

/** Replaces a lone surrogate with one U+FFFD; sql.js's own encoder would write three. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** The statement's current row. An integer that JavaScript cannot hold is returned as the nearest number it can: one
 *  such value, which only damage or another program leaves, must not hide the row. It cannot be written back. */
export function currentRow(statement: Statement, columns: readonly string[]): SqlRow {
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
