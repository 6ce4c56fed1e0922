import * as v from 'valibot';
import { exportedRow, jsonColumns, type ColumnValue, type StoreRow } from './exportFormat';

/** Returns the row as one line of JSON, without a line break. Exact: `rowOf` returns the same row. */
export function rowLine({ table, row }: StoreRow): string {
  const asJson = new Set(jsonColumns[table]);
  const exported = Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, asJson.has(name) ? structured(value) : plain(value)]),
  );
  return JSON.stringify({ table, row: exported });
}

/** Reads a row of an export. Throws an `Error` with the reason when it is none. */
export function rowOf(parsed: unknown): StoreRow {
  const result = v.safeParse(exportedRow, parsed);
  if (!result.success) throw new Error(result.issues[0].message);
  const { table, row } = result.output;
  return {
    table,
    row: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, columnValue(name, value)])),
  };
}

function plain(value: ColumnValue): string | number | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function structured(value: ColumnValue): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return plain(value);
  try {
    const parsed: unknown = JSON.parse(value);
    return JSON.stringify(parsed) === value ? parsed : value;
  } catch {
    // Damaged text is kept as it is.
    return value;
  }
}

function columnValue(name: string, value: unknown): ColumnValue {
  if (typeof value === 'string') return name === 'bytes' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
  if (typeof value === 'number' || value === null) return value;
  if (typeof value === 'object') return JSON.stringify(value);
  throw new Error(`column ${name} has a value of type ${typeof value}`);
}
