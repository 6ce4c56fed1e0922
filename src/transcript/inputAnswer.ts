import * as v from 'valibot';

/** The user's answers to a request for input, by the names of its fields. */
export const inputAnswer = v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]));
export type InputAnswer = Readonly<v.InferOutput<typeof inputAnswer>>;
