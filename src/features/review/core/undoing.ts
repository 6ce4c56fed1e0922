import { NotAText, type TextFile } from '../../../tools/files/fileEditor';
import { decodeTextFile, encodeText } from '../../../tools/files/textFormat';
import { hashOf } from '../../../tools/files/changes/contentHash';
import type { FileHistory, ChangedRange } from './fileHistory';
import { linesOf, merge } from './lineMerge';

/** undone: `bytes` is the file without the agent's changes but with all others (null: no file). `already`:
 *  number of changes that were already gone. `others`: number made by others.
 *  conflict: someone changed the same lines.
 *  notKept: the earlier content is not stored. */
type Undone =
  | {
      readonly kind: 'undone';
      readonly bytes: Uint8Array | null;
      readonly already: number;
      readonly others: number;
    }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'notKept' };

export type ReadContent = (hash: string) => Promise<Uint8Array | null>;

/** Removes the changes of a history from the present content, the last one first. Pure except for `read`. */
export async function undo(history: FileHistory, present: Uint8Array | null, read: ReadContent): Promise<Undone> {
  let bytes = present;
  let already = 0;
  let others = 0;
  for (const range of history.ranges.toReversed()) {
    const step = await undoOne(history.path, range, bytes, read);
    if (step.kind !== 'undone') return step;
    bytes = step.bytes;
    already += step.already;
    others += step.others;
  }
  return { kind: 'undone', bytes, already, others };
}

async function undoOne(
  path: string,
  { before, after }: ChangedRange,
  bytes: Uint8Array | null,
  read: ReadContent,
): Promise<Undone> {
  const held = hashOf(bytes);
  if (held === before) return { kind: 'undone', bytes, already: 1, others: 0 };
  if (after === undefined) return { kind: 'conflict' };
  const earlier = before === null ? null : await read(before);
  if (before !== null && earlier === null) return { kind: 'notKept' };
  if (held === after) return { kind: 'undone', bytes: earlier, already: 0, others: 0 };
  // A file that was created, deleted, or created again since cannot be merged.
  if (bytes === null || after === null || earlier === null) return { kind: 'conflict' };
  const left = await read(after);
  if (left === null) return { kind: 'notKept' };
  return merged(path, left, bytes, earlier);
}

function merged(path: string, left: Uint8Array, present: Uint8Array, earlier: Uint8Array): Undone {
  const [base, mine, theirs] = [textOf(path, left), textOf(path, present), textOf(path, earlier)];
  if (base === null || mine === null || theirs === null) return { kind: 'conflict' };
  const both = merge(linesOf(base.text), linesOf(mine.text), linesOf(theirs.text));
  if (both.kind === 'conflict') return both;
  return {
    kind: 'undone',
    bytes: encodeText(path, both.lines.join(''), mine),
    already: both.both,
    others: both.mine,
  };
}

/** Null when the bytes are not text. */
export function textOf(path: string, bytes: Uint8Array): TextFile | null {
  try {
    return decodeTextFile(path, bytes);
  } catch (error) {
    if (error instanceof NotAText) return null;
    throw error;
  }
}
