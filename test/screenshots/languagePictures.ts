import fs from 'node:fs';
import path from 'node:path';
import { textsOf } from '../../scripts/translations.mjs';
import { BrowserPreview } from '../support/webviewPreview/browserPreview';
import { mainStates } from '../support/webviewPreview/mainStates';
import { states } from '../support/webviewPreview/states';

export interface LanguagePictureOptions {
  /** As VS Code names it: "de", "pt-br". */
  readonly language: string;
  /** Where the pictures go. Default: a folder of the language, which is not part of the repository. */
  readonly folder?: string;
  readonly say: (line: string) => void;
  /** Takes only states whose name contains this, of all that there are. */
  readonly only?: string;
  /** Takes every state. Default: the main ones of the panel. */
  readonly all?: boolean;
}

/** The narrowest panel: there, words are cut off first. */
const width = 300;

/** Matches what something is called in a language, which English knows by this name. */
export function nameIn(localization: Readonly<Record<string, string>>, english: string): RegExp {
  const filled = (text: string): string =>
    text
      .split(/\{[^{}]*\}/)
      .map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.+');
  const key = Object.hasOwn(localization, english)
    ? english
    : Object.keys(localization).find((text) => text.includes('{') && new RegExp(`^${filled(text)}$`).test(english));
  return new RegExp(filled(key === undefined ? english : (localization[key] ?? english)));
}

/** Takes pictures of the views in a language, without VS Code, from the real bundles and the translations as they are.
 *  Returns what a state needs and the language does not have, such as a button that nothing is called in it. */
export async function takeLanguagePictures({
  language,
  folder = path.resolve('.vscode-test/screenshots', language),
  say,
  only = '',
  all = false,
}: LanguagePictureOptions): Promise<{ readonly folder: string; readonly problems: readonly string[] }> {
  const localization = textsOf(language).code;
  const named = (english: string): RegExp => nameIn(localization, english);
  const names = (all || only !== '' ? Object.keys(states) : mainStates).filter((name) => name.includes(only));
  fs.mkdirSync(folder, { recursive: true });
  const preview = await BrowserPreview.start();
  const problems: string[] = [];
  try {
    for (const name of names) {
      const shown = await preview.open(name, { width, language: { code: language, localization, named } });
      // What takes longer than a blink is announced; the picture shows it.
      await shown.page.waitForTimeout(350);
      await shown.page.screenshot({ path: path.join(folder, `${name}-${language}-${width}.png`) });
      problems.push(...shown.problems.map((problem) => `${name}: ${problem}`));
      await preview.leave(shown.page);
    }
  } finally {
    await preview.close();
    await BrowserPreview.end();
  }
  say(`Pictures are in ${path.relative(process.cwd(), folder)}: ${names.length}`);
  return { folder, problems };
}
