import { structuredPatch, type StructuredPatchHunk } from 'diff';
import { splitLines } from './lines';

/** What changed in one file, as people and models read it. */
export interface TextChange {
  readonly added: number;
  readonly removed: number;
  /** Without file names. Empty where only line ends differ. */
  readonly hunks: readonly StructuredPatchHunk[];
}

/** Comparing two texts line by line may not keep the editor waiting; beyond this everything between their common ends counts as changed. */
const maxEditLength = 2000;
const maxCompareMs = 200;
const contextLines = 3;

/** The change from one text to another; null stands for no file. Line ends do not count as differences. */
export function textChange(before: string | null, after: string | null): TextChange {
  const [left, right] = [plainEnds(before ?? ''), plainEnds(after ?? '')];
  const patch = structuredPatch('', '', left, right, undefined, undefined, {
    context: contextLines,
    maxEditLength,
    timeout: maxCompareMs,
  });
  const hunks = patch?.hunks ?? wholeHunk(left, right);
  const count = (sign: string): number =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
  return { added: count('+'), removed: count('-'), hunks };
}

/** The change as a unified diff with its two header lines. */
export function unifiedDiff(
  shown: string,
  before: string | null,
  after: string | null,
  change = textChange(before, after),
): string {
  const header = `--- ${before === null ? '/dev/null' : shown}\n+++ ${after === null ? '/dev/null' : shown}`;
  if (change.hunks.length === 0)
    return `${header}\n${before !== null && after !== null && before !== after ? '(only line ends change)' : '(no lines)'}`;
  return [
    header,
    ...change.hunks.map((hunk) =>
      [`@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`, ...hunk.lines].join(
        '\n',
      ),
    ),
  ].join('\n');
}

/** The first lines of a text, saying how many more there are. */
export function firstLines(text: string, count: number): string {
  const lines = text.split('\n');
  return lines.length <= count ? text : `${lines.slice(0, count).join('\n')}\n… (${lines.length - count} more lines)`;
}

function range(start: number, lines: number): string {
  return lines === 1 ? `${start}` : `${lines === 0 ? Math.max(0, start - 1) : start},${lines}`;
}

function wholeHunk(before: string, after: string): StructuredPatchHunk[] {
  const [left, right] = [splitLines(before).map((line) => line.text), splitLines(after).map((line) => line.text)];
  let start = 0;
  while (start < Math.min(left.length, right.length) && left[start] === right[start]) start++;
  let end = 0;
  while (
    end < Math.min(left.length, right.length) - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  )
    end++;
  const [removed, added] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  return [{ oldStart: start + 1, oldLines: removed.length, newStart: start + 1, newLines: added.length, lines }];
}

function plainEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
