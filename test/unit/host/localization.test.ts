import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface LocalizedTexts {
  readonly texts: readonly string[];
  /** Places where `t` is given something else than a literal. */
  readonly computed: readonly string[];
  /** Places whose text is built while the module loads: before the editor's language is known. */
  readonly early: readonly string[];
  /** Places that use the editor's translator, which knows no plural forms. */
  readonly editors: readonly string[];
}

/** Collects every text that the code gives to `t`. */
function localizedTexts(): LocalizedTexts {
  const texts = new Set<string>();
  const computed: string[] = [];
  const early: string[] = [];
  const editors: string[] = [];
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(root, 'src', name));
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
        if (ts.findAncestor(node, ts.isFunctionLike) === undefined)
          early.push(`${relative(root, file)}: ${node.getText(source)}`);
      }
      if (ts.isPropertyAccessExpression(node) && /l10n\.t$/.test(node.getText(source)))
        editors.push(relative(root, file));
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { texts: [...texts].sort(), computed, early, editors };
}

function isTranslation(callee: ts.Expression): boolean {
  return ts.isIdentifier(callee) && callee.text === 't';
}

function manifestTexts(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8'));
}

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string; readonly title: string }[] };
}

const found = localizedTexts();

describe('texts shown to users', () => {
  it('are in the bundle that translators start from (after a change: npx vitest run test/unit/host/localization.test.ts --update)', async () => {
    const { texts } = found;
    await expect(
      `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2)}\n`,
    ).toMatchFileSnapshot(join(root, 'l10n/bundle.l10n.json'));
  });

  it('have typographic apostrophes and American spelling', () => {
    const strings = [...found.texts, ...Object.values(manifestTexts())];
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
    const passedOn = /: t\(choice\)$/;
    expect(found.computed.filter((place) => !passedOn.test(place))).toEqual([]);
  });

  it('go through our own translator, and not before the language is known', () => {
    expect([found.early, found.editors]).toEqual([[], []]);
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
