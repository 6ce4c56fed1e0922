import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../src/', import.meta.url));

/** What the editor shows of an item, a picker, a box or a view. */
const shownProperties = new Set([
  'title',
  'placeHolder',
  'placeholder',
  'prompt',
  'label',
  'detail',
  'description',
  'tooltip',
  'openLabel',
  'saveLabel',
  'validationMessage',
  'ignoreFocusOutMessage',
]);
/** Names that are the same in every language. */
const names = /^(?:Hermes|OpenAI|Anthropic|Markdown|JSON|HTML|OpenAI JSONL|Hindsight)$/;
/** Parts that put no words on a screen, or whose words go to the model. */
const exempt: Readonly<Record<string, string>> = {
  'features/api/': 'descriptions of tools that other extensions give',
  'features/mcp/host/editorTools.ts': 'what the model is told of tools of other extensions',
};

/** Words in a literal that a person would read: letters beside signs of the icon font, names and what is filled in. */
function hasWords(node: ts.Expression): boolean {
  if (ts.isStringLiteralLike(node)) return isProse(node.text);
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].some(isProse);
  if (ts.isConditionalExpression(node)) return hasWords(node.whenTrue) || hasWords(node.whenFalse);
  if (
    ts.isBinaryExpression(node) &&
    (node.operatorToken.kind === ts.SyntaxKind.PlusToken ||
      node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
  )
    return hasWords(node.left) || hasWords(node.right);
  if (ts.isParenthesizedExpression(node)) return hasWords(node.expression);
  return false;
}

function isProse(text: string): boolean {
  const bare = text.replace(/\$\([\w~-]+\)/g, '').trim();
  return /\p{L}{2}/u.test(bare) && !names.test(bare) && !/^(?:https?:\/\/|[\w.-]+\/)\S*$/.test(bare);
}

function found(): readonly string[] {
  const places: string[] = [];
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!/^(host|features)\/.*\.ts$/.test(name.replaceAll('\\', '/'))) continue;
    if (Object.keys(exempt).some((part) => name.startsWith(part) || name === part)) continue;
    const source = ts.createSourceFile(name, readFileSync(join(root, name), 'utf8'), ts.ScriptTarget.Latest, true);
    // Only what talks to the editor shows something by itself.
    const usesEditor = /from 'vscode'/.test(source.text);
    const tell = (node: ts.Node): void =>
      void places.push(
        `${name}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.getText().slice(0, 80)}`,
      );
    const visit = (node: ts.Node): void => {
      if (
        ts.isCallExpression(node) &&
        /\.show(?:Information|Warning|Error)Message$|\.setStatusBarMessage$|\.createOutputChannel$/.test(
          node.expression.getText(),
        )
      )
        node.arguments.filter(hasWords).forEach(tell);
      if (ts.isNewExpression(node) && /TreeItem$|MarkdownString$/.test(node.expression.getText()))
        (node.arguments ?? []).filter(hasWords).forEach(tell);
      if (
        usesEditor &&
        ts.isPropertyAssignment(node) &&
        shownProperties.has(node.name.getText()) &&
        hasWords(node.initializer)
      )
        tell(node);
      if (
        usesEditor &&
        ts.isBinaryExpression(node) &&
        node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
        ts.isPropertyAccessExpression(node.left) &&
        shownProperties.has(node.left.name.text) &&
        hasWords(node.right)
      )
        tell(node);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return places;
}

describe('the texts the editor shows', () => {
  it('come from the translator: no message, title, label, placeholder or tooltip is a literal', () => {
    expect(found()).toEqual([]);
  });
});
