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

const compiled = pathTable.map((row) => ({ row, expression: expressionOf(row.names, '$') }));
const whole = expressionOf(
  pathTable.flatMap(({ names }) => names),
  '$',
);
const exempt = expressionOf(
  pathTable.flatMap(({ isTakenOut, names }) => (isTakenOut === 'never' ? names : [])),
  '(/|$)',
);

/** Looks a path up in the table. Give the path inside an open folder relative to it, any other absolute. */
export function treatmentOf(path: string): PathTreatment {
  const name = foldedPath(path);
  if (!whole.test(name)) return plain;
  const rows: readonly PathRow[] = compiled.flatMap(({ row, expression }) => (expression.test(name) ? [row] : []));
  return {
    isHidden: rows.some(({ isHidden }) => isHidden) && !exempt.test(name),
    asksToRead: rows.some(({ asksToRead }) => asksToRead),
    changeReasons: [...new Set(rows.flatMap(({ asksToChange }) => asksToChange ?? []))],
    isTakenOut: rows.some(({ isTakenOut }) => isTakenOut === true) && !exempt.test(name),
  };
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

function expressionOf(names: readonly string[], end: string): RegExp {
  return new RegExp(`(?:^|/)(?:${names.map(sourceOf).join('|')})${end}`, 'su');
}

/** Regular expression of a name of the table. */
function sourceOf(name: string): string {
  const signs: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '*': '[^/]*', '{': '(?:', '}': ')', ',': '|' };
  return name
    .replace(/\*\*\/|[*{},]|\/(?=$|[},])|[.+?^$()[\]\\|]/g, (sign) =>
      sign === '/' ? '(?:/.*)?' : (signs[sign] ?? `\\${sign}`),
    );
}

/** Unifies spellings that a file system resolves to the same file: case, characters that some systems ignore, and
 *  what Windows cuts off the end of a name. */
function foldedPath(path: string): string {
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
