import { findLines, mergeLines } from '../../../tools/files/lineMatch';
import { joinLines, splitLines, usualEnd, withLineEnds, type Line } from '../../../tools/files/lines';
import { patched } from '../../../tools/files/patching';
import { readPatch, UnreadablePatch } from '../../../tools/files/patchText';
import { DoesNotFit } from '../../../tools/files/replacement';
import { fileNamedInCode } from './fence';

/** Proposed new text of a file; or `same`: the file already has the code; or `misfit`: nothing shows where the code
 *  belongs. */
export type Proposal =
  { readonly kind: 'change'; readonly text: string } | { readonly kind: 'same' } | { readonly kind: 'misfit' };

/** Share of a file's lines that code must repeat to count as the whole file: if it begins and ends like the file,
 *  and otherwise. */
const shares = { sameEnds: 0.4, any: 0.6 };
// "// … existing code …", "# rest of the file", or "unchanged" in a block comment: here the file continues unchanged.
const elision =
  /^\s*(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*)\s*(?:(?:\.{3}|…).*|.*\b(?:existing code|unchanged|rest of (?:the |your )?(?:code|file|function|class|method|implementation))\b.*)$/i;

/** `before`: the file's text; null if there is no file. Code whose language is "diff" or "patch" is applied as a
 *  patch. */
export function proposal(before: string | null, code: string, language: string): Proposal {
  if (language === 'diff' || language === 'patch') return ofPatch(before, code);
  const own = withoutName(before, code);
  if (before === null) return { kind: 'change', text: own.endsWith('\n') ? own : `${own}\n` };
  return fitCode(before, own);
}

/** Drops a first line that only names the file, unless the file has that line. */
function withoutName(before: string | null, code: string): string {
  const named = fileNamedInCode(code);
  const [first = ''] = code.split('\n', 1);
  return named === null || before?.split(/\r?\n/).includes(first) === true ? code : named.rest;
}

function ofPatch(before: string | null, code: string): Proposal {
  try {
    const [file, another] = readPatch(
      /^(?:--- |\*\*\* Begin Patch)/m.test(code)
        ? code
        : `*** Begin Patch\n*** Update File: file\n${code.trimEnd()}\n*** End Patch`,
    );
    if (file === undefined || another !== undefined || file.kind === 'delete') return { kind: 'misfit' };
    if (file.kind === 'add') return before === null ? { kind: 'change', text: file.text } : { kind: 'misfit' };
    if (before === null || file.moveTo !== null) return { kind: 'misfit' };
    const text = patched(before, file.hunks, 'the file');
    return changed(before, text);
  } catch (error) {
    if (error instanceof DoesNotFit || error instanceof UnreadablePatch) return { kind: 'misfit' };
    throw error;
  }
}

function changed(file: string, text: string): Proposal {
  return text === file ? { kind: 'same' } : { kind: 'change', text };
}

/** Finds where a piece of code belongs by the lines it shares with the file. Kept lines keep their line endings; new
 *  lines get the file's line endings and the indentation of their place. */
export function fitCode(file: string, code: string): Proposal {
  const present = splitLines(file);
  const wanted = withoutBlankEnds(code.replace(/\r\n?/g, '\n').split('\n'));
  if (wanted.length === 0) return { kind: 'misfit' };
  const pieces = piecesOf(wanted);
  if (file.trim() === '' || (pieces.length === 1 && pieces[0]?.length === wanted.length && isWhole(present, wanted)))
    return whole(file, present, wanted);
  const fitted = fitPieces(present, pieces);
  if (fitted === null) return { kind: 'misfit' };
  return changed(file, joinLines(fitted));
}

function whole(file: string, present: readonly Line[], wanted: readonly string[]): Proposal {
  const end = usualEnd(present);
  const last = file === '' || /[\r\n]$/.test(file) ? end : '';
  return changed(file, withLineEnds(wanted.join('\n'), end) + last);
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

/** Splits the code at lines that represent unchanged parts of the file. */
function piecesOf(wanted: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = [[]];
  for (const line of wanted) {
    if (elision.test(line)) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  return pieces.map(withoutBlankEnds).filter((piece) => piece.length > 0);
}

/** Null unless every piece has a place, in order. */
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

/** Walks back from the first shared line to the start of the piece, over equal or similar lines, which are replaced. */
function beginning(present: readonly Line[], piece: readonly string[], { here, there }: Anchor, from: number): number {
  let start = there;
  for (let at = here - 1; at >= 0 && start > from && isAlike(present[start - 1]?.text ?? '', piece[at] ?? ''); at--)
    start--;
  return start;
}

/** End of the lines that a piece replaces. Walks on after the last shared line, over equal or similar lines. Then it
 *  continues to the line that closes the same block as the piece, or over lines that are indented as deep. */
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
  // Keep a missing line ending at the end of the file.
  const closed =
    end === present.length && present.at(-1)?.end === '' && last !== undefined
      ? [...lines.slice(0, -1), { text: last.text, end: '' }]
      : lines;
  return { start, end, lines: closed };
}

/** Returns a function that indents lines to match `present`, and null for a line that cannot be. Null: the
 *  indentations do not fit. */
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

/** A line that a piece of code (`here`) and a file (`there`) have in common, counted from 0. */
interface Anchor {
  readonly here: number;
  readonly there: number;
}

/** Matches lines that are distinctive enough to identify a place. */
const telling = /[\p{L}\p{N}].*[\p{L}\p{N}].*[\p{L}\p{N}]/u;

/** Finds lines that are unique in each, like a patience diff: the longest sequence that has the same order in both.
 *  Ignores places before `from`. */
function anchorsOf(file: readonly string[], piece: readonly string[], from: number): readonly Anchor[] {
  const there = onlyOnce(file, from);
  const pairs = [...onlyOnce(piece, 0)].flatMap(([text, here]) => {
    const place = there.get(text);
    return place === undefined ? [] : [{ here, there: place }];
  });
  return longestRising(pairs.sort((a, b) => a.here - b.here));
}

/** True when one line may be an edit of the other: they differ only in surrounding whitespace, or share most of
 *  their words. */
function isAlike(left: string, right: string): boolean {
  if (left.trim() === right.trim()) return true;
  const [a, b] = [wordsOf(left), wordsOf(right)];
  const common = [...a].filter((word) => b.has(word)).length;
  return common > 0 && (2 * common) / (a.size + b.size) >= 0.5;
}

function onlyOnce(lines: readonly string[], from: number): ReadonlyMap<string, number> {
  const seen = new Map<string, number>();
  lines.forEach((line, index) => {
    const text = line.trim();
    if (index >= from && telling.test(text)) seen.set(text, seen.has(text) ? -1 : index);
  });
  return new Map([...seen].filter(([, index]) => index >= 0));
}

/** Longest increasing subsequence by patience sorting: `tops` holds the top of each pile, `before` the predecessor
 *  of each entry. */
function longestRising(pairs: readonly Anchor[]): readonly Anchor[] {
  const tops: number[] = [];
  const before: (number | undefined)[] = [];
  pairs.forEach(({ there }, index) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tops[middle] ?? -1]?.there ?? 0) < there) low = middle + 1;
      else high = middle;
    }
    before[index] = tops[low - 1];
    tops[low] = index;
  });
  const rising: Anchor[] = [];
  for (let at = tops.at(-1); at !== undefined; at = before[at]) {
    const pair = pairs[at];
    if (pair !== undefined) rising.unshift(pair);
  }
  return rising;
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.slice(0, 1000).match(/[\p{L}\p{N}_$]+/gu) ?? []);
}
