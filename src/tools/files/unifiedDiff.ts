import { structuredPatch, type StructuredPatchHunk } from 'diff';
import { splitLines } from './lines';

/** Change of one file, for users and models. */
export interface TextChange {
  readonly added: number;
  readonly removed: number;
  /** Without file names. Empty when only line ends differ. */
  readonly hunks: readonly StructuredPatchHunk[];
}

/** Limits of the line comparison, so that it does not block the editor. Beyond them, everything between the common
 *  start and end counts as changed. */
const maxEditLength = 2000;
const maxCompareMs = 200;
const contextLines = 3;

/** Change from one text to another; null means no file. Ignores line ends. */
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

/** Unified diff with its two header lines. */
export function unifiedDiff(
  shown: string,
  before: string | null,
  after: string | null,
  change = textChange(before, after),
): string {
  const header = `--- ${before === null ? '/dev/null' : shown}\n+++ ${after === null ? '/dev/null' : shown}`;
  if (change.hunks.length === 0) {
    const hasOtherEnds = before !== null && after !== null && before !== after;
    return `${header}\n${hasOtherEnds ? '(only line ends change)' : '(no lines)'}`;
  }
  return [
    header,
    ...change.hunks.map((hunk) =>
      [`@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`, ...hunk.lines].join(
        '\n',
      ),
    ),
  ].join('\n');
}

/** First lines of a text, plus the number of lines left out. */
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
