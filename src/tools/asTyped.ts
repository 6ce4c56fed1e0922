import type * as nodePath from 'node:path';
import type { WorkspaceFiles } from './workspaceFiles';

/** Text without marks that nobody sees, and where each offset of it is in the original. */
export interface FoldedText {
  readonly text: string;
  /** Null inside a character that was folded. `side`: before or after characters that vanished there. */
  original(offset: number, side: 'before' | 'after'): number | null;
}

/** Everything that `typed` may change: letters with their marks, Hangul in parts, and all that is not ASCII. */
const notTyped = /[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|\P{M}\p{M}+|[^\0-\x7f]/gsu;
const lineEnds = /\r\n?/g;

/** Text as a keyboard and a model write it: quotes, dashes, blanks and dots of the keyboard, letters composed (macOS
 *  decomposes them), and no characters without width. The only list of such look-alikes, for texts and for names. */
export function asTyped(text: string): string {
  return text.replace(notTyped, typed);
}

export function foldedAsTyped(text: string): FoldedText {
  return folded(text, new RegExp(`${lineEnds.source}|${notTyped.source}`, 'gsu'), (found) =>
    found.startsWith('\r') ? '\n' : typed(found),
  );
}

export function foldedLineEnds(text: string): FoldedText {
  return folded(text, lineEnds, () => '\n');
}

function typed(found: string): string {
  return found
    .normalize('NFC')
    .replace(/[‘’‚‛′]/g, "'")
    .replace(/[“”„‟″]/g, '"')
    .replace(/[‐‑‒–—―−]/g, '-')
    .replace(/…/g, '...')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ')
    .replace(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]|\ufe0e|\ufe0f/g, '');
}

function folded(text: string, pattern: RegExp, fold: (found: string) => string): FoldedText {
  /** Pieces that changed, in their order. */
  const changes: { readonly at: number; readonly end: number; readonly from: number; readonly to: number }[] = [];
  let dropped = 0;
  const result = text.replace(pattern, (found, from: number) => {
    const plain = fold(found);
    if (plain === found) return found;
    const at = from - dropped;
    changes.push({ at, end: at + plain.length, from, to: from + found.length });
    dropped += found.length - plain.length;
    return plain;
  });
  return {
    text: result,
    original: (offset, side) => {
      let shift = 0;
      for (const { at, end, from, to } of changes) {
        if (side === 'before' ? at >= offset : at > offset || (at === offset && end > offset)) break;
        if (end > offset) return null;
        shift = to - end;
        if (side === 'before' && at === offset) return from;
      }
      return offset + shift;
    },
  };
}

/** `present` after the change from `from` to `to`, if `present` is `from` except for look-alikes: what `from` and `to`
 *  have in common at both ends keeps the text of `present`. Null otherwise. */
export function changedAsTyped(present: string, from: string, to: string): string | null {
  if (present === from) return to;
  const there = foldedAsTyped(present);
  if (there.text !== foldedAsTyped(from).text) return null;
  let start = 0;
  while (start < Math.min(from.length, to.length) && from[start] === to[start]) start++;
  for (; start > 0; start--) if (splits(from, start) && splits(to, start)) break;
  const most = Math.min(from.length, to.length) - start;
  let end = 0;
  while (end < most && from.at(-1 - end) === to.at(-1 - end)) end++;
  for (; end > 0; end--) if (splits(from, from.length - end) && splits(to, to.length - end)) break;
  const offsetOf = (length: number, side: 'before' | 'after'): number | null =>
    there.original(foldedAsTyped(from.slice(0, length)).text.length, side);
  const [first, last] = [offsetOf(start, 'before'), offsetOf(from.length - end, 'after')];
  if (first === null || last === null || first > last) return to;
  return present.slice(0, first) + to.slice(start, to.length - end) + present.slice(last);
}

/** True when a character begins at the offset: not inside a letter with its marks, a surrogate pair, or a line end. */
function splits(text: string, offset: number): boolean {
  const around = text.slice(Math.max(0, offset - 2), offset + 1);
  return (
    !/^(?:\p{M}|[\u1161-\u1175\u11a8-\u11c2\udc00-\udfff])/u.test(text.slice(offset, offset + 2)) &&
    !around.endsWith('\r\n')
  );
}

/** First of the absolute paths where there is something, else the first that something looks like: a name may have
 *  blanks, letters or marks that a model writes as the keyboard does. Null when there is none. What is asked and
 *  approved must be judged by the result, never by the written path. */
export async function existingAsTyped(
  files: WorkspaceFiles,
  path: nodePath.PlatformPath,
  candidates: readonly string[],
): Promise<string | null> {
  for (const candidate of candidates) if ((await files.kindOf(candidate)) !== null) return candidate;
  for (const candidate of candidates) {
    const found = await alike(files, path, candidate);
    if (found !== null) return found;
  }
  return null;
}

/** Null also when several names look the same: nobody could say which is meant. */
async function alike(files: WorkspaceFiles, path: nodePath.PlatformPath, absolute: string): Promise<string | null> {
  const kind = await files.kindOf(absolute);
  const [parent, name] = [path.dirname(absolute), path.basename(absolute)];
  if (kind !== null || parent === absolute) return kind === null ? null : absolute;
  const folder = await alike(files, path, parent);
  if (folder === null || (await files.kindOf(folder)) !== 'directory') return null;
  // A folder that cannot be listed shows no look-alikes.
  const entries = await files.list(folder, new AbortController().signal).catch(() => []);
  const names = entries.map((entry) => entry.name).filter((each) => asTyped(each) === asTyped(name));
  const found = names.length === 1 ? names[0] : names.find((each) => each === name);
  // A link that leads nowhere is listed, too.
  return found === undefined || (folder === parent && found === name) ? null : path.join(folder, found);
}
