import * as v from 'valibot';

type Schema = v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>;

/** A field of a list entry. A value of another type counts as absent: one odd field must not hide a model. */
export function maybe<S extends Schema>(schema: S) {
  return v.fallback(v.optional(schema), undefined);
}

/** A list of which entries that cannot be read are left out: one odd entry must not hide the others. A list without
 *  one readable entry is refused, so that the service's mistake is told. */
export function readable<S extends Schema>(entry: S) {
  return v.pipe(
    v.array(v.unknown()),
    v.rawTransform(({ dataset, addIssue }) => {
      const read = dataset.value.flatMap((each) => {
        const parsed = v.safeParse(entry, each);
        return parsed.success ? [parsed.output] : [];
      });
      if (read.length === 0 && dataset.value.length > 0) addIssue({ message: 'No entry of the list can be read.' });
      return read;
    }),
  );
}

/** Number of tokens; some services send it as text. 0 says nothing. */
export const count = maybe(
  v.pipe(v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))]), v.finite(), v.minValue(1)),
);
export const text = maybe(v.string());
export const texts = maybe(readable(v.string()));
export const flag = maybe(v.boolean());
