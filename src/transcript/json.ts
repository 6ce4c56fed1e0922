/** A value that survives JSON without loss. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** The JSON object in `text`, or why there is none. */
export function parseJsonObject(
  text: string,
): { readonly kind: 'object'; readonly value: JsonObject } | { readonly kind: 'invalid'; readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: 'invalid', problem: error instanceof Error ? error.message : String(error) };
  }
  return isObject(value) ? { kind: 'object', value } : { kind: 'invalid', problem: 'not an object' };
}

// What JSON.parse returns holds JSON values all the way down.
function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
