import { createHash } from 'node:crypto';
import type { FileHunk } from '../../../transcript/changedFile';
import type { LineChange } from './lineMerge';
import type { OpenHunk } from './reviewFold';

/** One change with its place in both texts. */
export interface PlacedHunk {
  readonly hunk: FileHunk;
  readonly left: OpenHunk;
}

/** Changes that are left, each with an id that stays the same while its lines do, wherever they move. */
export function identified(accepted: readonly string[], left: readonly OpenHunk[]): readonly PlacedHunk[] {
  const seen = new Map<string, number>();
  return left.map((open) => {
    const removed = accepted.slice(open.at, open.at + open.removed);
    const hash = createHash('sha256')
      .update(JSON.stringify([removed, open.added]))
      .digest('hex')
      .slice(0, 16);
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    return {
      left: open,
      hunk: {
        id: `${hash}-${count}`,
        line: open.now + 1,
        removed: removed.map(withoutEnd),
        added: open.added.map(withoutEnd),
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
