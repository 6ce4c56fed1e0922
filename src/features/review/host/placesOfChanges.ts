/** A change at its place, as navigation sees it. Lines count from 0; `end` is the line after its last one. */
export interface ChangePlace {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** Index of the change at a line; -1 when there is none. A change that only removes lines is at the line before and
 *  after them. */
export function changeAt(changes: readonly ChangePlace[], path: string, line: number): number {
  return changes.findIndex((change) => change.path === path && isAt(change, line));
}

/** Index of the change to go to from a line, through all files and around the end. -1 when there is none. */
export function changeFrom(
  changes: readonly ChangePlace[],
  from: { readonly path: string; readonly line: number } | null,
  direction: 'next' | 'previous',
): number {
  if (changes.length === 0) return -1;
  const here = from === null ? [] : changes.flatMap(({ path }, index) => (path === from.path ? [index] : []));
  const [first] = here;
  if (from === null || first === undefined) return direction === 'next' ? 0 : changes.length - 1;
  const at = changeAt(changes, from.path, from.line);
  if (at !== -1) return (at + (direction === 'next' ? 1 : changes.length - 1)) % changes.length;
  // Between two changes: their order decides.
  const after = here.find((index) => (changes[index]?.start ?? 0) > from.line) ?? (here.at(-1) ?? 0) + 1;
  return (direction === 'next' ? after : after + changes.length - 1) % changes.length;
}

function isAt({ start, end }: ChangePlace, line: number): boolean {
  return start === end ? line === start || line === start - 1 : line >= start && line < end;
}
