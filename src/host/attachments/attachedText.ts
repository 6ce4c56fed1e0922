import type { LineRange } from './mentionSource';

/** Maximum number of lines, characters and tree entries of one attachment. */
export const mostLines = 2000;
export const mostCharacters = 100_000;
export const mostEntries = 500;

/** Returns the requested lines. If they are too long, returns their beginning with a note on the total. Null: the
 *  file has no such lines. */
export function excerptOf(text: string, lines: LineRange | null): string | null {
  const all = text.split(/\r\n|\n|\r/);
  if (all.length > 1 && all.at(-1) === '') all.pop();
  const from = lines?.from ?? 1;
  const to = Math.min(lines?.to ?? all.length, all.length);
  if (from > all.length) return null;
  const wanted = all.slice(from - 1, to);
  const taken: string[] = [];
  let characters = 0;
  for (const line of wanted) {
    if (taken.length === mostLines || characters + line.length + 1 > mostCharacters) break;
    taken.push(line);
    characters += line.length + 1;
  }
  if (taken.length === wanted.length) return taken.join('\n');
  // A single line that is longer than the limit.
  if (taken.length === 0)
    return (
      `${(wanted[0] ?? '').slice(0, mostCharacters).toWellFormed()}\n(The first ${mostCharacters} characters of ` +
      `line ${from}. The file has ${all.length} lines.)`
    );
  return (
    `${taken.join('\n')}\n(Lines ${from} to ${from + taken.length - 1} of ${all.length}. The rest was left out; it ` +
    'can be read from the file.)'
  );
}

/** Cuts text that is longer than `characters`. `keep`: the end to keep. */
export function cutTo(text: string, characters: number, keep: 'head' | 'tail' = 'head'): string {
  if (text.length <= characters) return text;
  const note = `(${keep === 'head' ? 'The first' : 'The last'} ${characters} of ${text.length} characters.)`;
  return keep === 'head'
    ? `${text.slice(0, characters).toWellFormed()}\n${note}`
    : `${note}\n${text.slice(-characters).toWellFormed()}`;
}

/** Renders files of a folder (relative paths, forward slashes) as an indented tree of at most five hundred lines. */
export function treeOf(paths: readonly string[], isCut: boolean): string {
  const lines: string[] = [];
  let open: readonly string[] = [];
  for (const path of paths.toSorted(byFolder)) {
    const names = path.split('/');
    const folders = names.slice(0, -1);
    const shared = folders.findIndex((name, index) => open[index] !== name);
    for (let depth = shared === -1 ? folders.length : shared; depth < folders.length; depth++)
      lines.push(`${'  '.repeat(depth)}${folders[depth] ?? ''}/`);
    lines.push(`${'  '.repeat(folders.length)}${names.at(-1) ?? ''}`);
    open = folders;
    if (lines.length > mostEntries) break;
  }
  const isLonger = lines.length > mostEntries || isCut;
  return [...lines.slice(0, mostEntries), ...(isLonger ? ['(There is more; only the beginning is listed.)'] : [])].join(
    '\n',
  );
}

/** Sorts the files of a folder together, so that no folder appears twice. */
function byFolder(left: string, right: string): number {
  const [a, b] = [left.split('/'), right.split('/')];
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [one = '', other = ''] = [a[index], b[index]];
    if (one === other) continue;
    const [oneIsFile, otherIsFile] = [index === a.length - 1, index === b.length - 1];
    if (oneIsFile !== otherIsFile) return oneIsFile ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return a.length - b.length;
}
