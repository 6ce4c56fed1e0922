import * as path from 'node:path';
import type { FileDifference } from './snapshot';

/** Line of `git diff-tree --raw`. A hash is null when there was no file. */
interface RawChange {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
  /** True when it is or was not a plain file: a link, or a separate repository. */
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

/** Contents that `git cat-file --batch` wrote, by hash. Missing objects are left out. */
export function parseBatch(out: Buffer): ReadonlyMap<string, Uint8Array> {
  const contents = new Map<string, Uint8Array>();
  for (let at = 0; at < out.length;) {
    const end = out.indexOf(0x0a, at);
    if (end === -1) break;
    const [hash = '', type = '', size = ''] = out.subarray(at, end).toString().split(' ');
    at = end + 1;
    if (type !== 'blob') continue;
    // Copy the bytes: a message to the store's worker thread transfers the whole underlying buffer.
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

/** `unsure`: number of files whose earlier content is unknown. */
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

/** Path for a list of object directories, quoted because it may contain the separator. */
export function quoted(folder: string): string {
  return `"${folder.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
