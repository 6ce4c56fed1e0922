import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import type { SqlDatabase, SqlRow, SqlValue } from '../../engine/sqlDatabase';
import type { Usage } from '../../../transcript/usage';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The end of the year 9999, in seconds since 1970. */
export const latestTime = 253_402_300_799;
/** Larger numbers are damage. Adding to a smaller number stays exact. */
const largestNumber = 2 ** 52;

/** Readers of single columns. A stored file may hold any value, and one odd value must not hide a whole list: each
 *  reader returns `fallback` instead. Everything they return can be stored again. */
export function readText<F extends string | null>(row: SqlRow, column: string, fallback: F): string | F {
  const value = row[column];
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? (textOf(value) ?? fallback) : fallback;
}

/** Decodes bytes as text; null when they are not text. In the file a single bit distinguishes text from bytes. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

export function readNumber<F extends number | null>(row: SqlRow, column: string, fallback: F): number | F {
  const value = row[column];
  return typeof value === 'number' && Math.abs(value) <= largestNumber ? value : fallback;
}

/** Reads a number that counts or orders. */
export function readInteger<F extends number | null>(row: SqlRow, column: string, fallback: F): number | F {
  const value = readNumber(row, column, null);
  return value !== null && Number.isInteger(value) ? value : fallback;
}

/** Reads a position in a session. */
export function readPosition<F extends number | null>(row: SqlRow, column: string, fallback: F): number | F {
  const value = readNumber(row, column, null);
  return value !== null && value >= 0 ? value : fallback;
}

/** Reads a time in seconds since 1970. */
export function readTime<F extends number | null>(row: SqlRow, column: string, fallback: F): number | F {
  const value = row[column];
  return typeof value === 'number' && value >= 0 && value <= latestTime ? value : fallback;
}

export function readBoolean(row: SqlRow, column: string): boolean {
  return readNumber(row, column, 0) !== 0;
}

export function oneOf<const T extends string, F extends T | null>(
  row: SqlRow,
  column: string,
  allowed: readonly T[],
  fallback: F,
): T | F {
  const value = row[column];
  return allowed.find((word) => word === value) ?? fallback;
}

/** Stores a row. `clause`: what to do when it is stored already. Default: throws. */
export function insertRow(
  database: SqlDatabase,
  table: string,
  row: SqlRow,
  clause = '',
): { readonly changes: number } {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  return database.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places}) ${clause}`, Object.values(row));
}

/** True when a query finds a row. */
export function hasRow(database: SqlDatabase, sql: string, params: readonly SqlValue[] = []): boolean {
  return database.get(sql, params) !== undefined;
}

/** Returns the text in the first column that a query finds; null for no row or no text. */
export function textIn(database: SqlDatabase, sql: string, params: readonly SqlValue[] = []): string | null {
  return firstText(database.get(sql, params) ?? {}, null);
}

/** Returns the texts in the first column of all rows that a query finds; '' for one that is no text. */
export function texts(database: SqlDatabase, sql: string, params: readonly SqlValue[] = []): readonly string[] {
  return database.all(sql, params).map((row) => firstText(row, ''));
}

function firstText<F extends string | null>(row: SqlRow, fallback: F): string | F {
  return readText(row, Object.keys(row)[0] ?? '', fallback);
}

/** Returns the count that a query selects as `n`. */
export function countOf(database: SqlDatabase, sql: string, params: readonly SqlValue[] = []): number {
  const row = database.get(sql, params);
  return row === undefined ? 0 : readInteger(row, 'n', 0);
}

const count = v.fallback(v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(largestNumber))), null);
export const usage = v.object({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
  costUsd: v.exactOptional(count),
  requests: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.maxValue(largestNumber))),
});

export function usageOf(row: SqlRow): Usage | null {
  return parsedAs(usage, readText(row, 'usage', null));
}
