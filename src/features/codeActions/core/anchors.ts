/** A line that a piece of code (`here`) and a file (`there`) have in common, counted from 0. */
interface Anchor {
  readonly here: number;
  readonly there: number;
}

/** Matches lines that are distinctive enough to identify a place. */
const telling = /[\p{L}\p{N}].*[\p{L}\p{N}].*[\p{L}\p{N}]/u;

/** Finds lines that are unique in each, like a patience diff: the longest sequence that has the same order in both.
 *  Ignores places before `from`. */
export function anchorsOf(file: readonly string[], piece: readonly string[], from: number): readonly Anchor[] {
  const there = onlyOnce(file, from);
  const pairs = [...onlyOnce(piece, 0)].flatMap(([text, here]) => {
    const place = there.get(text);
    return place === undefined ? [] : [{ here, there: place }];
  });
  return longestRising(pairs.sort((a, b) => a.here - b.here));
}

/** True when one line may be an edit of the other: they differ only in surrounding whitespace, or share most of
 *  their words. */
export function isAlike(left: string, right: string): boolean {
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
