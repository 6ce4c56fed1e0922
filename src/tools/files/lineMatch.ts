import { diffArrays } from 'diff';
import { asTyped, changedAsTyped } from '../asTyped';
import { usualEnd, type Line } from './lines';

/** Index of matching lines in a file, from 0, and a function that fits new lines to that place. */
export interface LinePlace {
  readonly index: number;
  /** Null for a line that cannot be fitted in. */
  readonly fit: (written: string) => string | null;
}

/** Comparison steps, each more tolerant than the one before. A place found by a tolerant step must be the only one. */
const steps: readonly ((
  wanted: readonly string[],
  present: readonly Line[],
  index: number,
) => LinePlace['fit'] | null)[] = [
  alike((text) => text),
  alike((text) => text.trimEnd()),
  alike((text) => asTyped(text).trimEnd()),
  shifted,
];

/** All places of the wanted lines, found by the strictest step that finds any. Ignores places before `from`. */
export function findLines(wanted: readonly string[], present: readonly Line[], from = 0): readonly LinePlace[] {
  if (wanted.length === 0 || wanted.every((line) => line.trim() === '')) return exactMatches(wanted, present, from);
  for (const step of steps) {
    const matches: LinePlace[] = [];
    for (let index = from; index + wanted.length <= present.length; index++) {
      const fit = step(wanted, present, index);
      if (fit !== null) matches.push({ index, fit });
    }
    if (matches.length > 0) return matches;
  }
  return [];
}

/** Lines at that place after the edit. Lines that the edit does not change keep the file's exact text, including
 *  spaces. Null when a new line cannot be fitted in. */
export function replaceLines(
  wanted: readonly string[],
  replacement: readonly string[],
  present: readonly Line[],
  place: LinePlace,
): readonly Line[] | null {
  const replaced = present.slice(place.index, place.index + wanted.length);
  const end = usualEnd(replaced.some((line) => line.end !== '') ? replaced : present);
  const result = mergeLines(replaced, wanted, replacement, end, place.fit);
  // If the file had no final line end, keep it that way.
  return result !== null && replaced.at(-1)?.end === '' ? withLastEnd(result, '') : result;
}

/** Applies the change between two lists of lines to `present`. Unchanged lines keep text and line end, changed ones
 *  what is the same at their beginning and end. A line that
 *  replaces another takes its line end; further lines end with `end`. Every line of the result has a line end. Null
 *  when a new line cannot be fitted in. */
export function mergeLines(
  present: readonly Line[],
  from: readonly string[],
  to: readonly string[],
  end: string,
  fit: LinePlace['fit'],
): readonly Line[] | null {
  const result: Line[] = [];
  let gone: readonly Line[] = [];
  let goneFrom: readonly string[] = [];
  let at = 0;
  for (const change of diffArrays([...from], [...to])) {
    const here = change.added ? gone : present.slice(at, at + change.value.length);
    const old = goneFrom;
    [gone, goneFrom] = change.removed ? [here, change.value] : [[], []];
    if (!change.added) at += change.value.length;
    if (change.removed) continue;
    for (const [index, written] of change.value.entries()) {
      const kept = here[index]?.text;
      const fitted = change.added ? fit(written) : (kept ?? written);
      const from = fit(old[index] ?? '');
      const text =
        change.added && kept !== undefined && from !== null && fitted !== null
          ? (changedAsTyped(kept, from, fitted) ?? fitted)
          : fitted;
      if (text === null) return null;
      result.push({ text, end: here[index]?.end || end });
    }
  }
  return result;
}

export function withLastEnd(lines: readonly Line[], end: string): readonly Line[] {
  const last = lines.at(-1);
  return last === undefined ? lines : [...lines.slice(0, -1), { text: last.text, end }];
}

function alike(
  reduce: (text: string) => string,
): (wanted: readonly string[], present: readonly Line[], index: number) => LinePlace['fit'] | null {
  return (wanted, present, index) =>
    wanted.every((line, offset) => reduce(line) === reduce(present[index + offset]?.text ?? ''))
      ? (written) => written
      : null;
}

/** Matches the same lines with more or less indentation, all by the same whitespace. */
function shifted(wanted: readonly string[], present: readonly Line[], index: number): LinePlace['fit'] | null {
  let shift: { readonly blanks: string; readonly further: 'in' | 'out' } | null = null;
  for (const [offset, line] of wanted.entries()) {
    const there = asTyped(present[index + offset]?.text ?? '').trimEnd();
    const here = asTyped(line).trimEnd();
    if (there.trimStart() !== here.trimStart()) return null;
    if (here === '') continue;
    const [outer, inner] = there.length >= here.length ? [here, there] : [there, here];
    const blanks = inner.slice(0, inner.length - outer.length);
    if (!inner.endsWith(outer) || blanks.trim() !== '') return null;
    const found = { blanks, further: there.length >= here.length ? 'in' : 'out' } as const;
    if (shift !== null && (shift.blanks !== found.blanks || (found.blanks !== '' && shift.further !== found.further)))
      return null;
    shift = found;
  }
  if (shift === null) return null;
  const { blanks, further } = shift;
  return (written) => {
    if (written.trim() === '') return written;
    if (further === 'in') return blanks + written;
    return written.startsWith(blanks) ? written.slice(blanks.length) : null;
  };
}

/** Blank lines are everywhere, so they only match exactly. */
function exactMatches(wanted: readonly string[], present: readonly Line[], from: number): readonly LinePlace[] {
  const matches: LinePlace[] = [];
  if (wanted.length === 0) return matches;
  for (let index = from; index + wanted.length <= present.length; index++) {
    if (wanted.every((line, offset) => line === present[index + offset]?.text))
      matches.push({ index, fit: (written) => written });
  }
  return matches;
}
