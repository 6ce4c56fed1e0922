import { longestRead, mayBeCodeSpan } from './codeSpans';
import { noBlocks, type OpenBlocks, placeLine } from './markdownBlocks';

/** A place in a Markdown document that grows at its end. */
export interface DocumentPlace {
  readonly blocks: OpenBlocks;
  /** The line so far. It may be long, and is only added to while it grows. */
  readonly line: string;
  /** A "\r" behind the line: half of a line end, or all of it. */
  readonly endsInReturn: boolean;
}

export const documentStart: DocumentPlace = { blocks: noBlocks, line: '', endsInReturn: false };

/** The place behind `text`. */
export function placeBehind(place: DocumentPlace, text: string): DocumentPlace {
  if (!place.endsInReturn && !/[\r\n]/.test(text)) return { ...place, line: place.line + text };
  const whole = (place.endsInReturn ? '\r' : '') + text;
  const endsInReturn = whole.endsWith('\r');
  const [first = '', ...others] = (endsInReturn ? whole.slice(0, -1) : whole).split(/\r\n|\n|\r/);
  const lines = [place.line + first, ...others];
  const line = lines.pop() ?? '';
  return { blocks: lines.reduce((blocks, each) => placeLine(blocks, each).after, place.blocks), line, endsInReturn };
}

/** Whether a tag at this place would be code: in a fenced or indented block, in a fence's own line, in a code span, or in HTML that is shown as it is.
 *  Where that depends on what follows, it is: see `mayBeCodeSpan`. */
export function isCodeAt(place: DocumentPlace): boolean {
  const { blocks, line } = withoutReturn(place);
  if (line.length > longestRead) return true;
  // A letter stands for what follows: an empty line, and one that ends with a mark, mean something else.
  const { holds, inline } = placeLine(blocks, `${line}x`);
  return holds === 'code' || (holds === 'inline' && mayBeCodeSpan(inline.slice(0, -1)));
}

/** Nothing but white space stands in the line so far. */
export function isLineBlank(place: DocumentPlace): boolean {
  const { line } = withoutReturn(place);
  return line.length <= longestRead && !/\S/.test(line);
}

/** A tag that follows a "\r" stands in a line of its own. */
function withoutReturn(place: DocumentPlace): DocumentPlace {
  return place.endsInReturn
    ? { blocks: placeLine(place.blocks, place.line).after, line: '', endsInReturn: false }
    : place;
}
