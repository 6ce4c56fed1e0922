import { findLines, mergeLines } from '../../tools/files/lineMatch';
import { joinLines, splitLines, usualEnd, withLineEnds, type Line } from '../../tools/files/lines';
import { anchorsOf, isAlike } from './anchors';

/** What a file would hold with a piece of code in it. whole: the code is the file · part: it stands in the place of some lines · same: it stands
 *  there already · nowhere: no line of it tells where it belongs. */
export type CodeFit =
  { readonly kind: 'whole' | 'part'; readonly text: string } | { readonly kind: 'same' } | { readonly kind: 'nowhere' };

/** How much of a file has to come back in code that begins and ends as the file does, and in code that does not, to be taken for the whole of it. */
const shares = { sameEnds: 0.4, any: 0.6 };
// "// … existing code …", "# rest of the file", "/* unchanged */": here the file goes on as it is.
const elision =
  /^\s*(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*)\s*(?:(?:\.{3}|…).*|.*\b(?:existing code|unchanged|rest of (?:the |your )?(?:code|file|function|class|method|implementation))\b.*)$/i;

/** Finds where a piece of code belongs by the lines that it shares with the file. Lines that stay keep their line ends; new ones take the file's,
 *  and the indentation of their place. */
export function fitCode(file: string, code: string): CodeFit {
  const present = splitLines(file);
  const wanted = withoutBlankEnds(code.replace(/\r\n?/g, '\n').split('\n'));
  if (wanted.length === 0) return { kind: 'nowhere' };
  const pieces = piecesOf(wanted);
  if (file.trim() === '' || (pieces.length === 1 && pieces[0]?.length === wanted.length && isWhole(present, wanted)))
    return whole(file, present, wanted);
  const fitted = fitPieces(present, pieces);
  if (fitted === null) return { kind: 'nowhere' };
  const text = joinLines(fitted);
  return text === file ? { kind: 'same' } : { kind: 'part', text };
}

function whole(file: string, present: readonly Line[], wanted: readonly string[]): CodeFit {
  const end = usualEnd(present);
  const last = file === '' || /[\r\n]$/.test(file) ? end : '';
  const text = withLineEnds(wanted.join('\n'), end) + last;
  return text === file ? { kind: 'same' } : { kind: 'whole', text };
}

function isWhole(present: readonly Line[], wanted: readonly string[]): boolean {
  const here = present.map(({ text }) => text.trim()).filter((text) => text !== '');
  const there = wanted.map((text) => text.trim()).filter((text) => text !== '');
  const left = new Map<string, number>();
  for (const text of there) left.set(text, (left.get(text) ?? 0) + 1);
  let kept = 0;
  for (const text of here) {
    const count = left.get(text) ?? 0;
    if (count === 0) continue;
    left.set(text, count - 1);
    kept++;
  }
  const sameEnds = here[0] === there[0] && here.at(-1) === there.at(-1);
  return kept >= here.length * (sameEnds ? shares.sameEnds : shares.any);
}

/** The code between lines that stand for what the file has there. */
function piecesOf(wanted: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = [[]];
  for (const line of wanted) {
    if (elision.test(line)) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  return pieces.map(withoutBlankEnds).filter((piece) => piece.length > 0);
}

/** Null unless every piece has its place, in order. */
function fitPieces(present: readonly Line[], pieces: readonly (readonly string[])[]): readonly Line[] | null {
  const result: Line[] = [];
  let from = 0;
  for (const piece of pieces) {
    const place = placeOf(present, piece, from);
    if (place === null) return null;
    result.push(...present.slice(from, place.start), ...place.lines);
    from = place.end;
  }
  return pieces.length === 0 ? null : [...result, ...present.slice(from)];
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly Line[];
}

function placeOf(present: readonly Line[], piece: readonly string[], from: number): Place | null {
  const [as, another] = findLines(piece, present, from);
  if (as !== undefined && another === undefined)
    return { start: as.index, end: as.index + piece.length, lines: present.slice(as.index, as.index + piece.length) };
  const anchors = anchorsOf(
    present.map(({ text }) => text),
    piece,
    from,
  );
  const [first, last] = [anchors[0], anchors.at(-1)];
  if (first === undefined || last === undefined) return null;
  const fit = fittedTo(present[first.there]?.text ?? '', piece[first.here] ?? '');
  const lines = fit === null ? [null] : piece.map((line) => fit(line));
  const written = lines.filter((line) => line !== null);
  if (written.length < piece.length) return null;
  const start = beginning(present, piece, first, from);
  const end = ending(present, written, last);
  return replacing(present, start, end, written);
}

/** Walks from the first line that both have to where the piece begins: over lines that are the same or alike, which it replaces. */
function beginning(present: readonly Line[], piece: readonly string[], { here, there }: Anchor, from: number): number {
  let start = there;
  for (let at = here - 1; at >= 0 && start > from && isAlike(present[start - 1]?.text ?? '', piece[at] ?? ''); at--)
    start--;
  return start;
}

interface Anchor {
  readonly here: number;
  readonly there: number;
}

/** Where the lines end that a piece replaces. Behind the last line that both have: over lines that are the same or alike, then to the line that closes
 *  what the piece closes, or as far as the file is indented as deep. */
function ending(present: readonly Line[], piece: readonly string[], { here, there }: Anchor): number {
  let [end, at] = [there + 1, here + 1];
  while (at < piece.length && end < present.length && isAlike(present[end]?.text ?? '', piece[at] ?? ''))
    [end, at] = [end + 1, at + 1];
  const rest = piece.slice(at).filter((line) => line.trim() !== '');
  const last = rest.at(-1);
  if (last === undefined) return end;
  if (/^[\s)\]}>;,]*$|^\s*(?:end|fi|done|esac)\b/.test(last)) {
    const closing = present.findIndex(({ text }, index) => index >= end && text.trimEnd() === last.trimEnd());
    return closing < 0 ? end : closing + 1;
  }
  const depth = Math.min(...rest.map(indentOf));
  if (depth <= indentOf(present[there]?.text ?? '')) return end;
  while (
    end < present.length &&
    (isBlank(present[end])
      ? !isBlank(present[end + 1]) && indentOf(present[end + 1]?.text ?? '') >= depth
      : indentOf(present[end]?.text ?? '') >= depth)
  )
    end++;
  return end;
}

function replacing(present: readonly Line[], start: number, end: number, written: readonly string[]): Place | null {
  const replaced = present.slice(start, end);
  const lines = mergeLines(
    replaced,
    replaced.map(({ text }) => text),
    written,
    usualEnd(present),
    (line) => line,
  );
  if (lines === null) return null;
  const last = lines.at(-1);
  // What had no line end at the end of the file gets none.
  const closed =
    end === present.length && present.at(-1)?.end === '' && last !== undefined
      ? [...lines.slice(0, -1), { text: last.text, end: '' }]
      : lines;
  return { start, end, lines: closed };
}

/** How lines have to be indented to stand where `present` does; null where one cannot. */
function fittedTo(present: string, written: string): ((line: string) => string | null) | null {
  const [there, here] = [present, written].map((line) => /^\s*/.exec(line)?.[0] ?? '');
  if (there === undefined || here === undefined) return null;
  if (there.startsWith(here)) return (line) => (line.trim() === '' ? line : there.slice(here.length) + line);
  if (!here.startsWith(there)) return null;
  const surplus = here.slice(there.length);
  return (line) => (line.trim() === '' ? line : line.startsWith(surplus) ? line.slice(surplus.length) : null);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isBlank(line: Line | undefined): boolean {
  return line === undefined || line.text.trim() === '';
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1);
}
