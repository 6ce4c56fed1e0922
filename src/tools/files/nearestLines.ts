import type { Line } from './lines';

const maxShown = 20;
const maxLineLength = 300;
/** Most lines compared letter by letter, so that a refusal does not block the editor. */
const maxCompared = 20_000;

/** Lines of a file that are most similar to the wanted ones, numbered so that a model can use them. Null when
 *  nothing is similar. */
export function nearestLines(wanted: readonly string[], present: readonly Line[]): string | null {
  const start = byCommonLines(wanted, present) ?? byLikestLine(wanted, present);
  if (start === null) return null;
  const from = Math.max(0, start - 1);
  return numberedLines(present, from, Math.min(present.length, start + wanted.length + 1, from + maxShown));
}

/** Lines from index `from` up to `to`, in the format of read_file. */
export function numberedLines(present: readonly Line[], from: number, to: number): string {
  return present
    .slice(from, to)
    .map(
      ({ text }, offset) =>
        `${from + offset + 1}\t${text.length > maxLineLength ? `${text.slice(0, maxLineLength)} …` : text}`,
    )
    .join('\n');
}

/** Each wanted line that occurs in the file votes for the place where all of them would begin. */
function byCommonLines(wanted: readonly string[], present: readonly Line[]): number | null {
  const places = new Map<string, number[]>();
  for (const [index, { text }] of present.entries()) {
    const key = text.trim();
    if (key.length < 3) continue;
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else if (known.length < 50) known.push(index);
  }
  const votes = new Map<number, number>();
  for (const [offset, line] of wanted.entries()) {
    for (const index of places.get(line.trim()) ?? [])
      votes.set(Math.max(0, index - offset), (votes.get(Math.max(0, index - offset)) ?? 0) + line.trim().length);
  }
  const best = [...votes].sort((left, right) => right[1] - left[1])[0];
  return best?.[0] ?? null;
}

function byLikestLine(wanted: readonly string[], present: readonly Line[]): number | null {
  const longest = [...wanted.entries()].sort((left, right) => right[1].trim().length - left[1].trim().length)[0];
  if (longest === undefined || longest[1].trim().length < 3) return null;
  const pairs = letterPairs(longest[1].trim());
  let best = { score: 0.5, index: -1 };
  for (const [index, { text }] of present.slice(0, maxCompared).entries()) {
    const score = alikeness(pairs, letterPairs(text.trim().slice(0, maxLineLength)));
    if (score > best.score) best = { score, index };
  }
  return best.index < 0 ? null : Math.max(0, best.index - longest[0]);
}

function letterPairs(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < Math.min(text.length, maxLineLength); index++)
    pairs.add(text.slice(index, index + 2));
  return pairs;
}

/** Sørensen–Dice: 1 for the same letter pairs, 0 for none in common. */
function alikeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size === 0 || right.size === 0) return 0;
  let common = 0;
  for (const pair of left) if (right.has(pair)) common++;
  return (2 * common) / (left.size + right.size);
}
