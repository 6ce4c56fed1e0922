import { longestRead, mayBeCodeSpan } from './codeSpans';
import { noBlocks, type OpenBlocks, placeLine } from './markdownBlocks';

/** Position in a Markdown document that grows at its end. */
export interface DocumentPlace {
  readonly blocks: OpenBlocks;
  /** Current line so far. It may be long, and is only appended to. */
  readonly line: string;
  /** True when a "\r" follows the line: half of a line end, or all of it. */
  readonly endsInReturn: boolean;
}

export const documentStart: DocumentPlace = { blocks: noBlocks, line: '', endsInReturn: false };

/** Position after `text`. */
export function placeAfter(place: DocumentPlace, text: string): DocumentPlace {
  if (!place.endsInReturn && !/[\r\n]/.test(text)) return { ...place, line: place.line + text };
  const whole = (place.endsInReturn ? '\r' : '') + text;
  const endsInReturn = whole.endsWith('\r');
  const [first = '', ...others] = (endsInReturn ? whole.slice(0, -1) : whole).split(/\r\n|\n|\r/);
  const lines = [place.line + first, ...others];
  const line = lines.pop() ?? '';
  return { blocks: lines.reduce((blocks, each) => placeLine(blocks, each).after, place.blocks), line, endsInReturn };
}

/** True when a tag at this position would be code: in a fenced or indented block, in a fence's own line, in a code
 *  span, or in HTML that is shown verbatim. Also true when that depends on the following text: see `mayBeCodeSpan`. */
export function isCodeAt(place: DocumentPlace): boolean {
  const { blocks, line } = withoutReturn(place);
  if (line.length > longestRead) return true;
  // Add a letter for the following text: an empty line, and one that ends with a mark, have another meaning.
  const { holds, inline } = placeLine(blocks, `${line}x`);
  return holds === 'code' || (holds === 'inline' && mayBeCodeSpan(inline.slice(0, -1)));
}

/** True when the line so far contains only white space. */
export function isLineBlank(place: DocumentPlace): boolean {
  const { line } = withoutReturn(place);
  return line.length <= longestRead && !/\S/.test(line);
}

/** A tag after a "\r" is on a new line. */
function withoutReturn(place: DocumentPlace): DocumentPlace {
  return place.endsInReturn
    ? { blocks: placeLine(place.blocks, place.line).after, line: '', endsInReturn: false }
    : place;
}
