import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Every text that host and webviews give to `t`, with the places where something else than a literal is given. */
function localizedTexts(): { readonly texts: readonly string[]; readonly computed: readonly string[] } {
  const texts = new Set<string>();
  const computed: string[] = [];
  const files = ['src/host', 'src/webview'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(root, folder, name)),
  );
  for (const file of files) {
    const source = ts.createSourceFile(
      file,
      readFileSync(file, 'utf8'),
      ts.ScriptTarget.Latest,
      true,
      file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    );
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && isTranslation(node.expression)) {
        const [text] = node.arguments;
        if (text !== undefined && ts.isStringLiteralLike(text)) texts.add(text.text);
        else computed.push(`${relative(root, file)}: ${node.getText(source)}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { texts: [...texts].sort(), computed };
}

function isTranslation(callee: ts.Expression): boolean {
  return (
    (ts.isIdentifier(callee) && callee.text === 't') ||
    (ts.isPropertyAccessExpression(callee) && callee.name.text === 't' && callee.expression.getText().endsWith('l10n'))
  );
}

function manifestTexts(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8'));
}

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string; readonly title: string }[] };
}

describe('texts shown to users', () => {
  it('are in the bundle that translators start from (after a change: npx vitest run test/unit/host/localization.test.ts --update)', async () => {
    const { texts } = localizedTexts();
    await expect(
      `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2)}\n`,
    ).toMatchFileSnapshot(join(root, 'l10n/bundle.l10n.json'));
  });

  it('have typographic apostrophes and American spelling', () => {
    const strings = [...localizedTexts().texts, ...Object.values(manifestTexts())];
    expect([
      strings.filter((text) => /\p{L}'\p{L}/u.test(text)),
      strings.filter((text) =>
        /\b(?:cancell(?:ed|ing)|colours?|favour\w*|behaviour|grey|licence|(?:organ|summar|recogn|initial|synchron)is(?:e|ed|es|ing|ation)|anew)\b/i.test(
          text,
        ),
      ),
    ]).toEqual([[], []]);
  });

  it('are passed to the translator as literals, except where the translator is passed on', () => {
    const passedOn = /l10n\.t\(message(, args)?\)$|: t\(choice\)$/;
    expect(localizedTexts().computed.filter((place) => !passedOn.test(place))).toEqual([]);
  });

  it('of the manifest are all in package.nls.json, which holds nothing else', () => {
    const manifest = readFileSync(join(root, 'package.json'), 'utf8');
    const used = [...manifest.matchAll(/"%([^%"]+)%"/g)].map((match) => match[1] ?? '');
    expect([...new Set(used)].sort()).toEqual(Object.keys(manifestTexts()).sort());
  });

  it('name every command of the manifest', () => {
    const { contributes }: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(
      contributes.commands.filter(({ command, title }) => title !== `%${command.replace('hermes.', 'command.')}%`),
    ).toEqual([]);
  });
});
