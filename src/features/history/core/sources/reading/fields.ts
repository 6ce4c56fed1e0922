import type { JsonObject, JsonValue } from '../../../../../transcript/json';

/** Typed access to fields of records that another program wrote. A field of another type reads as absent. */

export function textOf(record: JsonObject | null, name: string): string | null {
  const value = own(record, name);
  return typeof value === 'string' ? value : null;
}

/** A text with at least one character. */
export function nameOf(record: JsonObject | null, name: string): string | null {
  const value = textOf(record, name);
  return value === null || value.trim() === '' ? null : value;
}

export function numberOf(record: JsonObject | null, name: string): number | null {
  const value = own(record, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A number of tokens or messages: a whole number, at least 0. */
export function countOf(record: JsonObject | null, name: string): number | null {
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
  return isObject(value) ? value : null;
}

export function asList(value: JsonValue | undefined): readonly JsonValue[] | null {
  return isList(value) ? value : null;
}

export function own(record: JsonObject | null, name: string): JsonValue | undefined {
  return record !== null && Object.hasOwn(record, name) ? record[name] : undefined;
}

const latest = 8.64e12;

/** Seconds since the epoch, from an ISO 8601 text. */
export function isoTimeOf(record: JsonObject | null, name: string): number | null {
  const value = textOf(record, name);
  const milliseconds = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(milliseconds) ? null : milliseconds / 1000;
}

/** Seconds since the epoch, from a number of seconds or of milliseconds. */
export function epochTimeOf(record: JsonObject | null, name: string): number | null {
  return asEpochTime(numberOf(record, name));
}

export function asEpochTime(value: number | null): number | null {
  if (value === null || value < 0 || value > latest * 1000) return null;
  return value > 1e11 ? value / 1000 : value;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
