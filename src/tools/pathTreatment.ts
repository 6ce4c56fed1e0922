import type { AccessPath, AskReason } from '../transcript/approval';
import { type PathRow, pathTable } from './pathTable';

/** Treatment of one path by all rows of the table that it matches. */
export interface PathTreatment {
  readonly isHidden: boolean;
  readonly asksToRead: boolean;
  readonly changeReasons: readonly AskReason[];
  readonly isTakenOut: boolean;
}

const plain: PathTreatment = { isHidden: false, asksToRead: false, changeReasons: [], isTakenOut: false };

interface CompiledName {
  readonly row: PathRow;
  readonly first: string;
  /** Folders that the name mentions before its last segment. */
  readonly inner: readonly string[];
  /** Matches the rest of a path from a segment on. */
  readonly expression: RegExp;
}

const names: readonly CompiledName[] = pathTable.flatMap((row) =>
  row.names.flatMap(expanded).map((name) => ({
    row,
    first: name.split('/')[0] ?? '',
    inner: [...name.matchAll(/\/(?=.)/g)].map(({ index }) => name.slice(0, index)),
    expression: new RegExp(`^${sourceOf(name)}$`, 's'),
  })),
);
// Lists of files are long: most segments are no beginning of a name.
const byFirst = new Map<string, CompiledName[]>();
for (const name of names) byFirst.set(name.first, [...(byFirst.get(name.first) ?? []), name]);
const openNames = names.filter(({ first }) => first.includes('*'));
const openFirst = new RegExp(`^(?:${openNames.map(({ first }) => sourceOf(first)).join('|')})$`, 's');

/** Looks a path up in the table. Give the path inside an open folder relative to it, any other absolute. */
export function treatmentOf(path: string): PathTreatment {
  const rows = rowsOf(foldedPath(path));
  if (rows.length === 0) return plain;
  const isExempt = rows.some(({ isTakenOut }) => isTakenOut === 'never');
  return {
    isHidden: !isExempt && rows.some(({ isHidden }) => isHidden),
    asksToRead: rows.some(({ asksToRead }) => asksToRead),
    changeReasons: [...new Set(rows.flatMap(({ asksToChange }) => asksToChange ?? []))],
    isTakenOut: !isExempt && rows.some(({ isTakenOut }) => isTakenOut === true),
  };
}

function rowsOf(path: string): readonly PathRow[] {
  const found = new Set<PathRow>();
  for (let at = 0; at >= 0 && at <= path.length; at = path.indexOf('/', at) + 1 || -1) {
    const end = path.indexOf('/', at);
    for (const { row, expression } of namesThatBegin(path.slice(at, end < 0 ? undefined : end)))
      if (!found.has(row) && expression.test(path.slice(at))) found.add(row);
  }
  return pathTable.filter((row) => found.has(row));
}

const known = new Map<string, readonly CompiledName[]>();

function namesThatBegin(first: string): readonly CompiledName[] {
  let begun = known.get(first);
  if (begun === undefined) {
    begun = [...(byFirst.get(first) ?? []), ...(openFirst.test(first) ? openNames : [])];
    if (known.size > 50_000) known.clear();
    known.set(first, begun);
  }
  return begun;
}

/** Folders in which the table names files that are taken out. */
const named = new RegExp(
  `(?:^|/)(?:${names
    .filter(({ row }) => row.isTakenOut === true)
    .flatMap(({ inner }) => inner)
    .map(sourceOf)
    .join('|')})$`,
  's',
);

/** True when a link of this name can give files that are taken out their names, by what it leads to. */
export function isAlias(path: string): boolean {
  return named.test(foldedPath(path));
}

/** Reasons against changing the file; empty for a plain file. */
export function changeReasons(path: string): readonly AskReason[] {
  return treatmentOf(path).changeReasons;
}

/** True when the content needs approval to read. */
export function isSecret(path: string): boolean {
  return treatmentOf(path).asksToRead;
}

/** Name that a path is judged by. Inside an open folder, the names of the folders above it do not count. */
export function judgedName(path: AccessPath): string {
  return path.isInside ? path.shown : path.path;
}

/** Names without `{a,b}`. */
function expanded(name: string): readonly string[] {
  const [all, choices] = /\{([^{}]*)\}/.exec(name) ?? [];
  if (all === undefined || choices === undefined) return [name];
  return choices.split(',').flatMap((choice) => expanded(name.replace(all, choice)));
}

/** Regular expression of a name of the table, without `{a,b}`. */
function sourceOf(name: string): string {
  const signs: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '*': '[^/]*', '/': '(?:/.*)?' };
  return name.replace(/\*\*\/|\*|\/+$|[.+?^$()[\]\\|]/g, (sign) => signs[sign.replace('//', '/')] ?? `\\${sign}`);
}

/** Unifies spellings that a file system resolves to the same file: case, characters that some systems ignore, and
 *  what Windows cuts off the end of a name. */
function foldedPath(path: string): string {
  // Lists of files are long, and nearly all of their names need only this.
  if (/^[ !-9;-[\]-~]*$/.test(path) && !/[. ](?:\/|$)/.test(path)) return path.toLowerCase();
  return path
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
    .replaceAll('\\', '/')
    .split('/')
    .map((segment, index) =>
      index === 0 && /^[a-z]:$/.test(segment) ? segment : segment.replace(/:.*$/, '').replace(/(?<=[^. ])[. ]+$/, ''),
    )
    .join('/');
}
