import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));

/** Returns the calls of a translator whose arguments are not those that its text names. */
function mismatches(file: string): readonly string[] {
  const found: string[] = [];
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const text = readFileSync(join(source, file), 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTranslator(node.expression)) {
      const [message, args] = node.arguments;
      if (message !== undefined && ts.isStringLiteralLike(message)) {
        const named = [...new Set([...message.text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))].sort();
        const given = givenNames(args);
        if (given !== null && given.join() !== named.join()) found.push(`${file}: ${node.getText()}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isTranslator(callee: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(callee)
    ? callee.name.text === 't'
    : ts.isIdentifier(callee) && (callee.text === 't' || callee.text === 'translate');
}

/** Null: not written in the call. */
function givenNames(args: ts.Expression | undefined): readonly string[] | null {
  if (args === undefined) return [];
  if (!ts.isObjectLiteralExpression(args) || args.properties.some(ts.isSpreadAssignment)) return null;
  return args.properties.map((property) => property.name?.getText() ?? '').sort();
}

it('every text gets the arguments that it names', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  expect(files.flatMap(mismatches)).toEqual([]);
});
