import { changedAsTyped, foldedAsTyped, foldedLineEnds, type FoldedText } from '../asTyped';
import { findLines, mergeLines, replaceLines, withLastEnd } from './lineMatch';
import { joinLines, lineAt, splitLines, usualEnd, withLineEnds } from './lines';
import { nearestLines } from './nearestLines';

const lineEnds = /\r\n?/g;

/** Text to find in a file, and its replacement. It must occur once, unless `all` is set. */
export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

/** Thrown when an edit does not fit the file. The sentence quotes the nearest lines; nothing was changed. */
export class DoesNotFit extends Error {
  override readonly name = 'DoesNotFit';
}

/** Text after a replacement. Searches the old text exactly, then with other line ends, then line by line with
 *  growing tolerance (trailing spaces, typographic quotes and dashes, indentation), then in look-alike characters. It
 *  must be found in one place only. Throws `DoesNotFit`. */
export function replaced(text: string, replacement: Replacement, shown: string): string {
  if (replacement.oldText === replacement.newText)
    throw new DoesNotFit(`old_text and new_text are the same, so ${shown} would not change.`);
  return (
    exactly(text, replacement, shown) ??
    // Models write "\n"; the file may have other or mixed line ends.
    folded(foldedLineEnds, text, replacement, shown) ??
    lineByLine(text, replacement, shown) ??
    folded(foldedAsTyped, text, { ...replacement, all: false }, shown) ??
    notFound(text, replacement, shown)
  );
}

function exactly(text: string, { oldText, newText, all }: Replacement, shown: string): string | null {
  const offsets = occurrences(text, oldText);
  if (offsets.length === 0) return null;
  if (offsets.length > 1 && !all)
    throw severalTimes(
      offsets.map((offset) => lineAt(text, offset)),
      shown,
    );
  return substituted(
    text,
    offsets.map((start) => ({ start, end: start + oldText.length })),
    oldText,
    newText,
  );
}

/** Searches in what both texts have in common when they are folded, and replaces what stands there in the file. */
function folded(
  fold: (text: string) => FoldedText,
  text: string,
  { oldText, newText, all }: Replacement,
  shown: string,
): string | null {
  const there = fold(text);
  const wanted = fold(oldText).text;
  const ranges = occurrences(there.text, wanted).flatMap((offset) => {
    const [start, end] = [there.original(offset, 'after'), there.original(offset + wanted.length, 'before')];
    return start === null || end === null ? [] : [{ start, end }];
  });
  if (ranges.length === 0) return null;
  if (ranges.length > 1 && !all)
    throw severalTimes(
      ranges.map(({ start }) => lineAt(text, start)),
      shown,
    );
  return substituted(text, ranges, oldText.replace(lineEnds, '\n'), newText.replace(lineEnds, '\n'));
}

function lineByLine(text: string, { oldText, newText }: Replacement, shown: string): string | null {
  const wanted = splitLines(oldText);
  const replacement = splitLines(newText);
  const endsLine = wanted.at(-1)?.end !== '';
  // Adding or removing the final line end joins or splits lines that are not named: only an exact match may do that.
  if (replacement.length > 0 && endsLine !== (replacement.at(-1)?.end !== '')) return null;
  const present = splitLines(text);
  const wantedLines = wanted.map((line) => line.text);
  const matches = findLines(wantedLines, present);
  const [place] = matches;
  if (place === undefined) return null;
  if (matches.length > 1)
    throw severalTimes(
      matches.map(({ index }) => index + 1),
      shown,
    );
  const newLines = replacement.length === 0 && !endsLine ? [''] : replacement.map((line) => line.text);
  const lines = replaceLines(wantedLines, newLines, present, place);
  if (lines === null) return null;
  return joinLines([...present.slice(0, place.index), ...lines, ...present.slice(place.index + wanted.length)]);
}

function notFound(text: string, { oldText }: Replacement, shown: string): never {
  const wanted = splitLines(oldText).map((line) => line.text);
  const nearest = nearestLines(wanted, splitLines(text));
  const hint =
    nearest === null
      ? `Nothing like it stands there. Read ${shown} again and copy the lines from it.`
      : `The nearest lines are:\n${nearest}\nRepeat the edit with old_text copied from there.`;
  throw new DoesNotFit(`old_text was not found in ${shown}; nothing was changed. ${hint}`);
}

function severalTimes(lines: readonly number[], shown: string): DoesNotFit {
  const named = lines.slice(0, 10).join(', ') + (lines.length > 10 ? ', …' : '');
  return new DoesNotFit(
    `old_text was found ${lines.length} times in ${shown}, at lines ${named}; nothing was changed. Add lines ` +
      'around it to old_text until it is the only one, or set replace_all to change every one.',
  );
}

function occurrences(text: string, wanted: string): readonly number[] {
  const offsets: number[] = [];
  if (wanted === '') return offsets;
  for (let offset = text.indexOf(wanted); offset >= 0; offset = text.indexOf(wanted, offset + wanted.length))
    offsets.push(offset);
  return offsets;
}

function substituted(
  text: string,
  ranges: readonly { readonly start: number; readonly end: number }[],
  oldText: string,
  newText: string,
): string {
  const fileEnd = usualEnd(splitLines(text));
  let result = '';
  let at = 0;
  for (const { start, end } of ranges) {
    result += text.slice(at, start) + inPlaceOf(text.slice(start, end), oldText, newText, fileEnd);
    at = end;
  }
  return result + text.slice(at);
}

/** Gives new text the line ends of the replaced text, or else of the file. Unchanged lines keep their own, even when
 *  mixed. */
function inPlaceOf(region: string, oldText: string, newText: string, fileEnd: string): string {
  const before = splitLines(region);
  const here = before.filter((line) => line.end !== '');
  const end = here.length > 0 ? usualEnd(here) : fileEnd;
  const fitted = withLineEnds(newText, end);
  if (newText.includes('\r') || here.every((line) => line.end === end))
    return changedAsTyped(region, withLineEnds(oldText, end), fitted) ?? fitted;
  const [from, to] = [splitLines(oldText), splitLines(newText)].map((lines) => lines.map((line) => line.text));
  const merged = mergeLines(before, from ?? [], to ?? [], end, (written) => written) ?? [];
  return joinLines(newText.endsWith('\n') ? merged : withLastEnd(merged, ''));
}
