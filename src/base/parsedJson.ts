import * as v from 'valibot';

/** The value that a text holds as JSON. Undefined when it holds none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same; null when the schema refuses it, and without a text. */
export function parsedAs<S extends v.GenericSchema>(
  schema: S,
  text: string | null | undefined,
): v.InferOutput<S> | null {
  // Parsing invalid JSON costs a hundred times as much as valid JSON: the engine records where it failed.
  const result = text === null || text === undefined || text === '' ? null : v.safeParse(schema, parseJson(text));
  return result?.success === true ? result.output : null;
}
