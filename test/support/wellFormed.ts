/** Paths of the strings in a request's body that hold half a surrogate pair, keys and the JSON inside call arguments included. */
export function halfCharacters(value: unknown, path = ''): readonly string[] {
  if (typeof value === 'string')
    return [
      ...(value.isWellFormed() ? [] : [path]),
      ...(path.endsWith('.arguments') ? halfCharacters(JSON.parse(value), path) : []),
    ];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key.isWellFormed() ? [] : [`${path} key ${JSON.stringify(key)}`]),
    ...halfCharacters(inner, `${path}.${key}`),
  ]);
}
