import { createHash } from 'node:crypto';
import type { FileHunk } from '../../../transcript/changedFile';
import { lineChanges, type LineChange } from './lineMerge';

/** One change with its position in the later text. */
export interface PlacedHunk {
  readonly hunk: FileHunk;
  /** Index of its first line in the later text, from 0. */
  readonly at: number;
  /** Index of its first line in the earlier text, from 0. */
  readonly before: number;
}

/** Differences from `earlier` to `later`. Each has an id that stays the same while its lines do, wherever they move. */
export function hunksBetween(
  earlier: readonly string[],
  later: readonly string[],
  kept: ReadonlySet<string>,
): readonly PlacedHunk[] {
  const seen = new Map<string, number>();
  let shift = 0;
  return lineChanges(earlier, later).map((change) => {
    const removed = earlier.slice(change.at, change.at + change.removed);
    const hash = createHash('sha256')
      .update(JSON.stringify([removed, change.added]))
      .digest('hex')
      .slice(0, 16);
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    const id = `${hash}-${count}`;
    const at = change.at + shift;
    shift += change.added.length - change.removed;
    return {
      at,
      before: change.at,
      hunk: {
        id,
        line: at + 1,
        removed: removed.map(withoutEnd),
        added: change.added.map(withoutEnd),
        state: kept.has(id) ? ('kept' as const) : ('open' as const),
      },
    };
  });
}

/** Counts added and removed lines. */
export function countLines(changes: readonly LineChange[]): { readonly added: number; readonly removed: number } {
  return {
    added: changes.reduce((sum, { added }) => sum + added.length, 0),
    removed: changes.reduce((sum, { removed }) => sum + removed, 0),
  };
}

function withoutEnd(line: string): string {
  return line.replace(/\r?\n$/, '');
}
