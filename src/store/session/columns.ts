import * as v from 'valibot';
import type { SqlDatabase, SqlRow, SqlValue } from '../engine/sqlDatabase';
import type { Usage } from '../../transcript/usage';
import { parseJson } from './partsJson';

/** Readers of single columns. A stored file may hold anything, and one odd value must not take a list away: each reader names what it
 *  answers instead. */
export function textOr<F extends string | null>(row: SqlRow, column: string, fallback: F): string | F {
  const value = row[column];
  return typeof value === 'string' ? value : fallback;
}

export function numberOr<F extends number | null>(row: SqlRow, column: string, fallback: F): number | F {
  const value = row[column];
  return typeof value === 'number' ? value : fallback;
}

export function flag(row: SqlRow, column: string): boolean {
  return numberOr(row, column, 0) !== 0;
}

export function oneOf<const T extends string, F extends T | null>(
  row: SqlRow,
  column: string,
  words: readonly T[],
  fallback: F,
): T | F {
  const value = row[column];
  return words.find((word) => word === value) ?? fallback;
}

/** What a query that counts as `n` answers. */
export function countOf(database: SqlDatabase, sql: string, params: readonly SqlValue[] = []): number {
  const row = database.get(sql, params);
  return row === undefined ? 0 : numberOr(row, 'n', 0);
}

const count = v.nullable(v.number());
export const usage = v.object({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
  costUsd: v.exactOptional(count),
  requests: v.exactOptional(v.number()),
});

export function usageOf(row: SqlRow): Usage | null {
  const stored = textOr(row, 'usage', null);
  if (stored === null) return null;
  const result = v.safeParse(usage, parseJson(stored));
  return result.success ? result.output : null;
}
