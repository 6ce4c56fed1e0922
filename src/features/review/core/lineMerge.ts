import { diffArrays } from 'diff';

/** Lines of a text with their ends. Joining them gives the same text. */
export function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** `added` lines replace `removed` lines of the other text, at its line `at` (from 0). */
export interface LineChange {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** Largest edit distance in lines. Beyond it, everything between the common start and end counts as one change: a
 *  closer comparison takes seconds. */
const farthestApart = 3000;

/** Changes that turn `from` into `to`, in order. */
export function lineChanges(from: readonly string[], to: readonly string[]): readonly LineChange[] {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  while (
    end < from.length - start &&
    end < to.length - start &&
    from[from.length - 1 - end] === to[to.length - 1 - end]
  )
    end++;
  const [inner, wanted] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  if (inner.length === 0 && wanted.length === 0) return [];
  return slidDown(
    from,
    changesBetween(inner, wanted).map((change) => ({ ...change, at: change.at + start })),
  );
}

function changesBetween(from: readonly string[], to: readonly string[]): readonly LineChange[] {
  const parts = diffArrays([...from], [...to], { maxEditLength: farthestApart });
  if (parts === undefined) return [{ at: 0, removed: from.length, added: to }];
  const changes: LineChange[] = [];
  let at = 0;
  let open: LineChange | null = null;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      if (open !== null) changes.push(open);
      open = null;
      at += value.length;
      continue;
    }
    open ??= { at, removed: 0, added: [] };
    if (added) open = { ...open, added: [...open.added, ...value] };
    else open = { ...open, removed: open.removed + value.length };
    if (removed) at += value.length;
  }
  return open === null ? changes : [...changes, open];
}

/** Moves a change to the last place that equal lines allow, so that the same change is recognized again. */
function slidDown(from: readonly string[], changes: readonly LineChange[]): readonly LineChange[] {
  return changes.map((change, index) => {
    const limit = changes[index + 1]?.at ?? from.length;
    let { at, added } = change;
    const { removed } = change;
    if (removed > 0 && added.length > 0) return change;
    while (at + removed < limit && from[at + removed] === (removed > 0 ? from[at] : added[0])) {
      if (removed === 0) added = [...added.slice(1), added[0] ?? ''];
      at++;
    }
    return { at, removed, added };
  });
}

/** `mine`, `theirs`: number of changes that only one side made. `both`: number that both sides made identically. */
type Merged =
  | {
      readonly kind: 'clean';
      readonly lines: readonly string[];
      readonly mine: number;
      readonly theirs: number;
      readonly both: number;
    }
  | { readonly kind: 'conflict' };

/** Applies the changes of both sides to their common base. Never guesses: if they change the same lines differently,
 *  it is a conflict. */
export function merge(base: readonly string[], mine: readonly string[], theirs: readonly string[]): Merged {
  const count = { mine: 0, theirs: 0, both: 0 };
  const lines: string[] = [];
  let done = 0;
  const waiting = { mine: [...lineChanges(base, mine)], theirs: [...lineChanges(base, theirs)] };
  for (;;) {
    const [ours, other] = [waiting.mine[0], waiting.theirs[0]];
    if (ours === undefined && other === undefined) break;
    if (ours !== undefined && other !== undefined && areEqual(ours, other)) waiting.theirs.shift();
    else if (ours !== undefined && other !== undefined && doMeet(ours, other)) return { kind: 'conflict' };
    const side = other === undefined || (ours !== undefined && isFirst(ours, other)) ? 'mine' : 'theirs';
    const next = waiting[side].shift();
    if (next === undefined) break;
    count[ours !== undefined && other !== undefined && areEqual(ours, other) ? 'both' : side]++;
    for (const line of base.slice(done, next.at)) lines.push(line);
    for (const line of next.added) lines.push(line);
    done = next.at + next.removed;
  }
  for (const line of base.slice(done)) lines.push(line);
  return { kind: 'clean', lines, ...count };
}

function areEqual(one: LineChange, other: LineChange): boolean {
  return (
    one.at === other.at &&
    one.removed === other.removed &&
    one.added.length === other.added.length &&
    one.added.every((line, index) => line === other.added[index])
  );
}

/** An insertion at the edge of removed lines does not conflict, unless its lines are already among those in their
 *  place: empty ones do not count. Two insertions at one place do, because their order is unknown. */
function doMeet(one: LineChange, other: LineChange): boolean {
  if (one.removed === 0 && other.removed === 0) return one.at === other.at;
  if (one.at < other.at + other.removed && other.at < one.at + one.removed) return true;
  return isRepeatedBy(one, other) || isRepeatedBy(other, one);
}

function isRepeatedBy({ at, removed, added }: LineChange, other: LineChange): boolean {
  const isAtEdge = at === other.at || at === other.at + other.removed;
  const written = added.filter((line) => line.trim() !== '');
  return isAtEdge && removed === 0 && written.length > 0 && written.every((line) => other.added.includes(line));
}

function isFirst(one: LineChange, other: LineChange): boolean {
  return one.at !== other.at ? one.at < other.at : one.removed <= other.removed;
}
