import { findLines, mergeLines, plainPunctuation, replaceLines, withLastEnd } from './lineMatch';
import { joinLines, lineAt, splitLines, usualEnd, withLineEnds } from './lines';
import { nearestLines } from './nearestLines';

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
 *  growing tolerance (trailing spaces, typographic quotes and dashes, indentation). It must be found in one place
 *  only. Throws `DoesNotFit`. */
export function replaced(text: string, replacement: Replacement, shown: string): string {
  if (replacement.oldText === replacement.newText)
    throw new DoesNotFit(`old_text and new_text are the same, so ${shown} would not change.`);
  return (
    exactly(text, replacement, shown) ??
    withOtherLineEnds(text, replacement, shown) ??
    lineByLine(text, replacement, shown) ??
    withinALine(text, replacement, shown) ??
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
    newText,
  );
}

/** Models write "\n"; the file may have other or mixed line ends. */
function withOtherLineEnds(text: string, { oldText, newText, all }: Replacement, shown: string): string | null {
  const plain = plainLineEnds(text);
  const wanted = oldText.replace(/\r\n?/g, '\n');
  const offsets = occurrences(plain.text, wanted);
  if (offsets.length === 0) return null;
  if (offsets.length > 1 && !all)
    throw severalTimes(
      offsets.map((offset) => lineAt(plain.text, offset)),
      shown,
    );
  const ranges = offsets.map((offset) => ({
    start: plain.original(offset),
    end: plain.original(offset + wanted.length),
  }));
  return substituted(text, ranges, newText.replace(/\r\n?/g, '\n'));
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

/** Matches a piece of one line that differs in its quotes, dashes, or spaces. */
function withinALine(text: string, { oldText, newText }: Replacement, shown: string): string | null {
  if (/[\r\n]/.test(oldText)) return null;
  const wanted = plainPunctuation(oldText);
  const offsets = wanted.trim() === '' ? [] : occurrences(plainPunctuation(text), wanted);
  if (offsets.length > 1)
    throw severalTimes(
      offsets.map((offset) => lineAt(text, offset)),
      shown,
    );
  return offsets.length === 0
    ? null
    : substituted(
        text,
        offsets.map((start) => ({ start, end: start + oldText.length })),
        newText,
      );
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
  newText: string,
): string {
  const fileEnd = usualEnd(splitLines(text));
  let result = '';
  let at = 0;
  for (const { start, end } of ranges) {
    result += text.slice(at, start) + inPlaceOf(text.slice(start, end), newText, fileEnd);
    at = end;
  }
  return result + text.slice(at);
}

/** Gives new text the line ends of the replaced text, or else of the file. Unchanged lines keep their own, even when
 *  mixed. */
function inPlaceOf(region: string, newText: string, fileEnd: string): string {
  const before = splitLines(region);
  const here = before.filter((line) => line.end !== '');
  const end = here.length > 0 ? usualEnd(here) : fileEnd;
  if (newText.includes('\r') || here.every((line) => line.end === end)) return withLineEnds(newText, end);
  const [from, to] = [before, splitLines(newText)].map((lines) => lines.map((line) => line.text));
  const merged = mergeLines(before, from ?? [], to ?? [], end, (written) => written) ?? [];
  return joinLines(newText.endsWith('\n') ? merged : withLastEnd(merged, ''));
}

/** Text with only "\n", and a function that maps an offset in it to the original text. */
function plainLineEnds(text: string): { readonly text: string; original(offset: number): number } {
  const dropped: number[] = [];
  const plain = text.replace(/\r\n?/g, (end, offset: number) => {
    if (end.length === 2) dropped.push(offset - dropped.length);
    return '\n';
  });
  return {
    text: plain,
    original: (offset) => {
      let low = 0;
      let high = dropped.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((dropped[middle] ?? 0) < offset) low = middle + 1;
        else high = middle;
      }
      return offset + low;
    },
  };
}
