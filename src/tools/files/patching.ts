import { findLines, replaceLines, type LinePlace } from './lineMatch';
import { joinLines, splitLines, usualEnd, type Line } from './lines';
import { nearestLines } from './nearestLines';
import type { PatchHunk } from './patchText';
import { DoesNotFit } from './replacement';

/** Text after all hunks of a patch, which are searched in their order. Throws `DoesNotFit`; then nothing was done. */
export function patched(text: string, hunks: readonly PatchHunk[], shown: string): string {
  let lines = splitLines(text);
  let from = 0;
  let grown = 0;
  for (const [number, hunk] of hunks.entries()) {
    const what = hunks.length === 1 ? 'The change' : `Change ${number + 1} of ${hunks.length}`;
    const start = belowHeaders(hunk, lines, from, what, shown);
    const done =
      hunk.oldLines.length === 0
        ? inserted(hunk, lines, start, grown)
        : substituted(hunk, lines, start, grown, what, shown);
    grown += hunk.newLines.length - hunk.oldLines.length;
    ({ lines, from } = done);
  }
  return joinLines(lines);
}

interface Patched {
  readonly lines: readonly Line[];
  /** First index where the next hunk may begin. */
  readonly from: number;
}

function substituted(
  hunk: PatchHunk,
  lines: readonly Line[],
  from: number,
  grown: number,
  what: string,
  shown: string,
): Patched {
  const fits = (start: number): readonly LinePlace[] =>
    findLines(hunk.oldLines, lines, start).filter(
      (place) => !hunk.atEnd || place.index + hunk.oldLines.length === lines.length,
    );
  // A line named after "@@" may be repeated as the first line of the change.
  const below = fits(from);
  const matches = below.length === 0 && hunk.under.length > 0 ? fits(from - 1) : below;
  const place =
    matches.length <= 1 || hunk.under.length > 0
      ? matches[0]
      : (atStatedLine(matches, hunk, grown) ?? refuseSeveral(matches, what, shown));
  if (place === undefined) refuseMissing(hunk, lines, from, what, shown);
  const replacement = replaceLines(hunk.oldLines, hunk.newLines, lines, place);
  if (replacement === null)
    throw new DoesNotFit(
      `${what} of ${shown} is indented differently from the file at line ${place.index + 1}, and a new line ` +
        'cannot be fitted in; nothing was changed. Repeat it with the indentation the file has.',
    );
  return {
    lines: [...lines.slice(0, place.index), ...replacement, ...lines.slice(place.index + hunk.oldLines.length)],
    from: place.index + replacement.length,
  };
}

/** Inserts a hunk that only adds lines: below its named header, or at the line of a unified diff, else at the end of
 *  the file. */
function inserted(hunk: PatchHunk, lines: readonly Line[], from: number, grown: number): Patched {
  const index =
    hunk.under.length > 0 && !hunk.atEnd
      ? from
      : hunk.line === null || hunk.atEnd
        ? lines.length
        : Math.min(lines.length, Math.max(from, hunk.line + grown));
  const end = usualEnd(lines);
  const before = lines.slice(0, index);
  const last = before.at(-1);
  if (last?.end === '') before[before.length - 1] = { text: last.text, end };
  const added = hunk.newLines.map((text) => ({ text, end }));
  return { lines: [...before, ...added, ...lines.slice(index)], from: index + added.length };
}

/** Index of the line after the last header. */
function belowHeaders(hunk: PatchHunk, lines: readonly Line[], from: number, what: string, shown: string): number {
  let start = from;
  for (const header of hunk.under) {
    const [place] = findLines([header], lines, start);
    const index = place?.index ?? lines.findIndex((line, at) => at >= start && line.text.includes(header));
    if (index < 0)
      throw new DoesNotFit(
        `${what} of ${shown} stands below "@@ ${header}", but there is no such ` +
          `line${start > 0 ? ` after line ${start}` : ''}; nothing was changed. Read the file and name a line that ` +
          'it has.',
      );
    start = index + 1;
  }
  return start;
}

function atStatedLine(matches: readonly LinePlace[], hunk: PatchHunk, grown: number): LinePlace | null {
  return hunk.line === null ? null : (matches.find((place) => place.index + 1 === (hunk.line ?? 0) + grown) ?? null);
}

function refuseSeveral(matches: readonly LinePlace[], what: string, shown: string): never {
  const named = matches
    .slice(0, 10)
    .map(({ index }) => index + 1)
    .join(', ');
  throw new DoesNotFit(
    `${what} of ${shown} fits ${matches.length} places, at lines ${named}; nothing was changed. Add lines of ` +
      'context, or an "@@ <line above it>" that tells which one is meant.',
  );
}

function refuseMissing(hunk: PatchHunk, lines: readonly Line[], from: number, what: string, shown: string): never {
  const nearest = nearestLines(hunk.oldLines, lines);
  const after =
    from > 0 ? ` (looked for from line ${from + 1} on, because changes have to follow the order of the file)` : '';
  const hint =
    nearest === null
      ? `Nothing like it stands there. Read ${shown} again.`
      : `The nearest lines are:\n${nearest}\nRepeat the patch with lines copied from there.`;
  throw new DoesNotFit(
    `The lines that ${what === 'The change' ? 'the change' : what.toLowerCase()} of ${shown} expects were not ` +
      `found${hunk.atEnd ? ' at the end of the file' : ''}${after}; nothing was changed. ${hint}`,
  );
}
