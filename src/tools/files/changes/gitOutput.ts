import * as path from 'node:path';
import type { FileDifference } from './snapshot';

/** A line of `git diff-tree --raw`. Hashes are null where there was no file, or no plain one. */
export interface RawChange {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
  /** It is, or was, something else than a plain file: a link, a repository of its own. */
  readonly isOther: boolean;
}

export function split(out: Buffer, end = '\0'): readonly string[] {
  return out
    .toString()
    .split(end)
    .filter((part) => part !== '');
}

export function parseRaw(out: Buffer): readonly RawChange[] {
  const parts = split(out);
  const changes: RawChange[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [modeBefore = '', modeAfter = '', from = '', to = ''] = (parts[index] ?? '').slice(1).split(' ');
    const isOther = [modeBefore, modeAfter].some((mode) => mode !== '000000' && !mode.startsWith('100'));
    if (from === to) continue;
    changes.push({
      name: parts[index + 1] ?? '',
      isOther,
      from: modeBefore === '000000' ? null : from,
      to: modeAfter === '000000' ? null : to,
    });
  }
  return changes;
}

/** What `git cat-file --batch` wrote, by hash; what is missing is left out. */
export function parseBatch(out: Buffer): ReadonlyMap<string, Uint8Array> {
  const contents = new Map<string, Uint8Array>();
  for (let at = 0; at < out.length;) {
    const end = out.indexOf(0x0a, at);
    if (end === -1) break;
    const [hash = '', type = '', size = ''] = out.subarray(at, end).toString().split(' ');
    at = end + 1;
    if (type !== 'blob') continue;
    // A copy: what is sent to the store's thread takes along everything its buffer holds.
    contents.set(hash, new Uint8Array(out.subarray(at, at + Number(size))));
    at += Number(size) + 1;
  }
  return contents;
}

/** Sizes by name, as `git ls-files --debug -z` writes them. */
export function parseSizes(out: Buffer): ReadonlyMap<string, number> {
  const found = out.toString().matchAll(/([^\0]+)\0 {2}ctime:[^\0]*? {2}size: (\d+)\tflags: [0-9a-f]+\n/g);
  return new Map([...found].map(([, name = '', size = '']) => [name, Number(size)]));
}

/** `unsure`: files of which it is not known what they held. */
export function differencesOf(
  root: string,
  changed: readonly RawChange[],
  contents: ReadonlyMap<string, Uint8Array>,
  sizes: ReadonlyMap<string, number>,
): { readonly files: readonly FileDifference[]; readonly unsure: number } {
  const files: FileDifference[] = [];
  let unsure = 0;
  for (const { name, from, to, isOther } of changed) {
    const file = path.join(root, name);
    const [before, after] = [from === null ? null : contents.get(from), to === null ? null : contents.get(to)];
    const wasConverted = before instanceof Uint8Array && sizes.get(name) !== before.length;
    if (isOther || before === undefined || after === undefined || wasConverted) unsure++;
    else files.push({ before: { path: file, bytes: before }, after: { path: file, bytes: after } });
  }
  return { files, unsure };
}

/** A path in a list of object directories: in quotes, because it may hold the character between two of them. */
export function quoted(folder: string): string {
  return `"${folder.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
