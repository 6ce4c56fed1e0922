import { isJsonObject, type JsonObject, type JsonValue } from '../../../../../transcript/json';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignRow } from './foreignDatabase';

/** Typed access to what another program wrote: an object of JSON or a row of a database. A field of another type reads
 *  as absent. */
type Fields = JsonObject | ForeignRow | null;

const utf8 = new TextDecoder('utf-8');

/** A text. Texts of rows may be read as bytes: SQLite's own strings end at a NUL character. */
export function textOf(record: Fields, name: string): string | null {
  const value = record !== null && Object.hasOwn(record, name) ? record[name] : undefined;
  if (value instanceof Uint8Array) return utf8.decode(value);
  return typeof value === 'string' ? value : null;
}

/** A text with at least one character. */
export function nameOf(record: Fields, name: string): string | null {
  const value = textOf(record, name);
  return value === null || value.trim() === '' ? null : value;
}

export function numberOf(record: Fields, name: string): number | null {
  const value = record !== null && Object.hasOwn(record, name) ? record[name] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A number of tokens or messages: a whole number, at least 0. */
export function countOf(record: Fields, name: string): number | null {
  const value = numberOf(record, name);
  return value !== null && value >= 0 && Number.isSafeInteger(value) ? value : null;
}

export function isSet(record: JsonObject | null, name: string): boolean {
  return own(record, name) === true;
}

export function objectOf(record: JsonObject | null, name: string): JsonObject | null {
  return asObject(own(record, name));
}

export function listOf(record: JsonObject | null, name: string): readonly JsonValue[] | null {
  return asList(own(record, name));
}

export function asObject(value: JsonValue | undefined): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

export function asList(value: JsonValue | undefined): readonly JsonValue[] | null {
  const isList = (one: JsonValue | undefined): one is readonly JsonValue[] => Array.isArray(one);
  return isList(value) ? value : null;
}

export function own(record: JsonObject | null, name: string): JsonValue | undefined {
  return record !== null && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The first value that `read` finds in the records. `last`: the last one. */
export function first<T>(records: readonly JsonObject[], read: (value: JsonObject) => T | null | undefined): T | null {
  for (const value of records) {
    const found = read(value) ?? null;
    if (found !== null) return found;
  }
  return null;
}

export function last<T>(records: readonly JsonObject[], read: (value: JsonObject) => T | null | undefined): T | null {
  return first(records.toReversed(), read);
}

const latest = 8.64e12;

/** Seconds since the epoch, from an ISO 8601 text. */
export function isoTimeOf(record: JsonObject | null, name: string): number | null {
  const value = textOf(record, name);
  const milliseconds = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(milliseconds) ? null : milliseconds / 1000;
}

/** Seconds since the epoch, from a number of seconds or of milliseconds. */
export function epochTimeOf(record: Fields, name: string): number | null {
  const value = numberOf(record, name);
  if (value === null || value < 0 || value > latest * 1000) return null;
  return value > 1e11 ? value / 1000 : value;
}

/** Names of counts, by what they count. `addsCache`: `input` excludes the tokens of the cache. */
interface CountNames {
  readonly input: string;
  readonly output: string;
  readonly cached?: string;
  readonly written?: string;
  readonly reasoning?: string;
  readonly addsCache?: boolean;
}

/** Token counts of a record. Null without the two that each request has. `cost`: US dollars; a negative one is
 *  unknown. */
export function usageOf(
  record: Fields,
  { input, output, cached, written, reasoning, addsCache = false }: CountNames,
  cost: number | null = null,
): Usage | null {
  const count = (name: string | undefined): number | null => (name === undefined ? null : countOf(record, name));
  const [inputTokens, outputTokens] = [count(input), count(output)];
  if (inputTokens === null && outputTokens === null) return null;
  const [cachedInputTokens, cacheWriteTokens] = [count(cached), count(written)];
  const ofCache = addsCache ? (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0) : 0;
  return {
    inputTokens: inputTokens === null ? null : inputTokens + ofCache,
    outputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens: count(reasoning),
    ...(cost === null || cost < 0 ? {} : { costUsd: cost }),
  };
}

/** Null for counts of 0: some programs store these also for requests that were never counted. */
export function unlessZero(usage: Usage | null): Usage | null {
  return (usage?.inputTokens ?? 0) === 0 && (usage?.outputTokens ?? 0) === 0 ? null : usage;
}
