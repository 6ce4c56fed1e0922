import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => join(root, 'src', name));
const known = new Set(files);

interface Import {
  readonly from: string;
  readonly to: string;
  /** Only types: the compiler leaves it out. */
  readonly isType: boolean;
}

const isTypeOnly = (clause: ts.ImportClause | undefined): boolean =>
  clause !== undefined &&
  (clause.phaseModifier === ts.SyntaxKind.TypeKeyword ||
    (clause.name === undefined &&
      clause.namedBindings !== undefined &&
      ts.isNamedImports(clause.namedBindings) &&
      clause.namedBindings.elements.every((element) => element.isTypeOnly)));

/** Static imports and re-exports of one file; lazy `import()` calls do not tie modules together when they load. */
function importsOf(file: string): readonly Import[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    const specifier =
      ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement) ? statement.moduleSpecifier : undefined;
    if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return [];
    const base = join(dirname(file), specifier.text);
    const to = [base, `${base}.ts`, `${base}.tsx`, `${base}.d.ts`].find((name) => known.has(name));
    if (to === undefined) return [];
    const isType = ts.isImportDeclaration(statement)
      ? isTypeOnly(statement.importClause)
      : ts.isExportDeclaration(statement) && statement.isTypeOnly;
    return [{ from: file, to, isType }];
  });
}

/** Groups of nodes that reach each other (Tarjan), sorted. */
function cycles(edges: Iterable<readonly [from: string, to: string]>): readonly string[] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const found: string[] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.size - 1);
    open.push(node);
    for (const other of next.get(node) ?? []) {
      if (!index.has(other)) visit(other);
      if (open.includes(other)) low.set(node, Math.min(low.get(node) ?? 0, low.get(other) ?? 0));
    }
    if (low.get(node) !== index.get(node)) return;
    const group = open.splice(open.indexOf(node));
    if (group.length > 1) found.push(group.sort().join(' '));
  };
  for (const node of next.keys()) if (!index.has(node)) visit(node);
  return found.sort();
}

const imports = files.flatMap(importsOf);
const short = (path: string): string => relative(root, path).replaceAll('\\', '/');
const folder = (path: string): string => short(dirname(path));

it('sees the imports of the source', () => {
  expect(imports.length).toBeGreaterThan(files.length);
  expect(cycles([['a', 'b'], ['b', 'c'], ['c', 'a'], ['c', 'd']])).toEqual(['a b c']); // prettier-ignore
});

it('has no cycle of value imports between folders', () => {
  const edges = imports.filter(({ isType }) => !isType).map(({ from, to }) => [folder(from), folder(to)] as const);
  expect(cycles(edges.filter(([from, to]) => from !== to))).toEqual([]);
});

it('has no cycle of value imports between files', () => {
  expect(
    cycles(imports.filter(({ isType }) => !isType).map(({ from, to }) => [short(from), short(to)] as const)),
  ).toEqual([]);
});

/** Files of a region that name the type of its code, which is loaded after the first paint and reads it from them. */
const isLazy = (path: string): boolean => /src\/webview\/chat\/(?:\w+\/)?lazy[A-Z]\w*\.ts$/.test(short(path));

// A part takes the whole that it is a part of, and names its type: the gateway's, the store's, a screen's.
it('has no cycle of imports, types included, beyond one folder', () => {
  const edges = imports.filter(({ from, isType }) => !isType || !isLazy(from));
  const found = cycles(edges.map(({ from, to }) => [short(from), short(to)] as const));
  expect(found.filter((group) => new Set(group.split(' ').map((file) => dirname(file))).size > 1)).toEqual([]);
});

it('imports types between folders one way, unless one folder holds the other', () => {
  const holds = (outer: string, inner: string): boolean => inner.startsWith(`${outer}/`);
  const pairs = new Set(imports.map(({ from, to }) => `${folder(from)} ${folder(to)}`));
  const mutual = [...pairs].filter((pair) => {
    const [from = '', to = ''] = pair.split(' ');
    return from < to && pairs.has(`${to} ${from}`) && !holds(from, to) && !holds(to, from);
  });
  expect(mutual.sort()).toEqual([]);
});
