import type { ColumnValue, Statement } from 'sql.js';
import type { SqlRow, SqlValue } from './sqlDatabase';
import { storeError } from './sqlFailure';

/** Checks and prepares values for sql.js. Throws `invalid` for numbers SQLite or JavaScript could not return unchanged. */
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

/** A lone surrogate becomes one U+FFFD; sql.js's own encoder would write three. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The row the statement stands on. Throws rather than return an integer that lost digits. */
export function currentRow(statement: Statement, columns: readonly string[]): SqlRow {
  let values = statement.get(null, { useBigInt: false });
  // Beyond 2^53 a number may be an integer that was rounded or a real that is meant so; only the exact reading tells.
  if (values.some((value) => typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))) {
    values = statement.get(null, { useBigInt: true });
  }
  const row = { ...emptyRow(columns) };
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index] ?? '';
    row[column] = exact(values[index] ?? null, column);
  }
  return row;
}

const emptyRows = new WeakMap<readonly string[], Record<string, SqlValue>>();

/** A row to copy: an object that gets its columns one by one costs the engine several times as much for a long list. */
function emptyRow(columns: readonly string[]): Readonly<Record<string, SqlValue>> {
  let row = emptyRows.get(columns);
  if (row === undefined) {
    row = Object.fromEntries(columns.map((column) => [column, null]));
    emptyRows.set(columns, row);
  }
  return row;
}

function exact(value: ColumnValue, column: string): SqlValue {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw storeError('invalid', `the integer ${value} in column ${column} would lose digits`);
  return number;
}
