import { invalid } from '../tables/refusal';

/** Kinds of documents, in the order in which they are written: rows name rows of earlier kinds.
 *  session: a segment. marks: the conversation’s title and how it is listed. turn: a turn with all rows of it. message:
 *  a row without a turn. */
export const documentKinds = ['session', 'marks', 'turn', 'message'] as const;
export type DocumentKind = (typeof documentKinds)[number];

export function kindOf(document: string): DocumentKind {
  const kind = documentKinds.find((one) => document.startsWith(one) && document[one.length] === '/');
  if (kind === undefined) throw invalid(`${document} is no document`);
  return kind;
}

export function idOf(document: string): string {
  return document.slice(document.indexOf('/') + 1);
}
