/** Line of `git diff-tree --raw`. A hash is null when there was no file. */
export interface RawChange {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
  /** True when it is or was not a plain file: a link, or a separate repository. */
  readonly isOther: boolean;
  /** True when a revert would not bring back that the file can be run. */
  readonly losesMode: boolean;
}

/** Line of `git ls-files -t`. */
export interface ListedName {
  readonly name: string;
  /** False for a file that is in the index. */
  readonly isNew: boolean;
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
    const losesMode =
      modeBefore !== modeAfter &&
      modeBefore !== '000000' &&
      !isOther &&
      !(modeBefore === '100644' && modeAfter === '000000');
    if (from === to && !losesMode) continue;
    changes.push({
      name: parts[index + 1] ?? '',
      isOther,
      losesMode,
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

export function parseListed(out: Buffer): readonly ListedName[] {
  return split(out).map((line) => ({ name: line.slice(2), isNew: line.startsWith('?') }));
}

/** What the index holds of files on disk, by name, as `git ls-files --debug -z` writes it. */
export function parseDebug(out: Buffer): ReadonlyMap<string, { readonly size: number; readonly inode: number }> {
  const found = out
    .toString()
    .matchAll(/([^\0]+)\0 {2}ctime:[^\0]*?\tino: (\d+)\n[^\0]*? {2}size: (\d+)\tflags: [0-9a-f]+\n/g);
  return new Map(
    [...found].map(([, name = '', inode = '', size = '']) => [name, { size: Number(size), inode: Number(inode) }]),
  );
}

/** Path for a list of object directories, quoted because it may contain the separator. */
export function quoted(folder: string): string {
  return `"${folder.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
