import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const floors = ['features', 'gateway', 'host', 'models', 'store'];

/** Errors that are shown to users, with the place of the sentence among their arguments. */
const shownErrors: Readonly<Record<string, number>> = { GatewayError: 1, MentionError: 0, StoreError: 1 };
/** Properties and variables that hold what users read. */
const shownNames = ['happened', 'next', 'problem', 'sentence'];

/** Sentences that nobody reads: a server without a program is never placed. */
const unread = ['features/mcp/host/mcpHost.ts: It runs no program.'];

/** Sentences in the places of a file that are shown to users, without those that go through `t`. */
function untranslated(name: string): readonly string[] {
  const source = ts.createSourceFile(name, readFileSync(join(root, 'src', name), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const collect = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && !/(?:^|\.)joinSentences$/.test(node.expression.getText(source))) return;
    const text = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) ? node.getText(source).slice(1, -1) : '';
    // Several words: a state or a key is one.
    if (/\p{L}\S* \S*\p{L}/u.test(text.replaceAll(/\$\{[^}]*\}/g, 'x'))) found.push(`${name}: ${text}`);
    ts.forEachChild(node, (child) => {
      if (!ts.isPropertyAssignment(node) || child !== node.name) collect(child);
    });
  };
  const visit = (node: ts.Node): void => {
    const shown = shownIn(node, source);
    if (shown !== undefined) collect(shown);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function shownIn(node: ts.Node, source: ts.SourceFile): ts.Node | undefined {
  if (ts.isNewExpression(node)) {
    const place = shownErrors[node.expression.getText(source)];
    return place === undefined ? undefined : node.arguments?.[place];
  }
  if (ts.isCallExpression(node))
    return /\.show(?:Information|Warning|Error)Message$/.test(node.expression.getText(source))
      ? node.arguments[0]
      : undefined;
  return (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) &&
    shownNames.includes(node.name.getText(source))
    ? node.initializer
    : undefined;
}

it('sentences that users read go through the translator', () => {
  const files = floors.flatMap((floor) =>
    readdirSync(join(root, 'src', floor), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${floor}/${name}`),
  );
  expect(files.flatMap(untranslated)).toEqual(unread);
});
