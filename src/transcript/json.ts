import { safeParse, type GenericSchema, type InferOutput } from 'valibot';

/** Value that JSON represents without loss. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** Returns the value, or undefined when the text is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value that a text holds as JSON; null without a text, and when the schema refuses it. */
export function parsedAs<S extends GenericSchema>(schema: S, text: string | null | undefined): InferOutput<S> | null {
  // Parsing invalid JSON costs a hundred times as much as valid JSON: the engine records where it failed.
  const result = text === null || text === undefined || text === '' ? null : safeParse(schema, parsedJson(text));
  return result?.success === true ? result.output : null;
}

/** Parses the JSON object in `text`, or returns the reason why it is none. */
export function parseJsonObject(
  text: string,
): { readonly kind: 'object'; readonly value: JsonObject } | { readonly kind: 'invalid'; readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: 'invalid', problem: error instanceof Error ? error.message : String(error) };
  }
  return isJsonObject(value) ? { kind: 'object', value } : { kind: 'invalid', problem: 'not an object' };
}

/** True for an object among values that came from JSON, which holds only JSON values at every level. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object; else an empty one. */
export const objectIn = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** What a schema of stored or sent data describes. */
export type Stored<S extends GenericSchema> = Unchanged<InferOutput<S>>;

/** A value that is only read, at every level. */
export type Unchanged<T> = T extends object ? { readonly [K in keyof T]: Unchanged<T[K]> } : T;
