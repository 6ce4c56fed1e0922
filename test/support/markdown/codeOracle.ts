import { Parser } from 'commonmark';

const parser = new Parser();
/** A letter that no document of ours holds, and that means nothing in Markdown. */
const letter = '\u0394';

/** Whether a word put into `document` at `offset` is code, as the reference implementation of CommonMark reads it. */
export function isInCode(document: string, offset: number): boolean {
  const walker = parser.parse(document.slice(0, offset) + letter + document.slice(offset)).walker();
  for (let step = walker.next(); step !== null; step = walker.next()) {
    const { node } = step;
    if (
      (node.type === 'code' || node.type === 'code_block') &&
      `${node.literal ?? ''}${node.info ?? ''}`.includes(letter)
    )
      return true;
  }
  return false;
}
