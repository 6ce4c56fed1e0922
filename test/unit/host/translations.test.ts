import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { languages, missingTexts, problemsOf, staleTexts, textsOf } from '../../../scripts/translations.mjs';

const english = textsOf();

/** Everything wrong with a language's texts, as `key: problem`. */
function problems(language: string): readonly string[] {
  const translated = textsOf(language);
  return (['code', 'manifest'] as const).flatMap((part) =>
    Object.entries(translated[part]).flatMap(([key, text]) =>
      problemsOf(language, english[part][key] ?? '', text).map((problem) => `${key}: ${problem}: ${text}`),
    ),
  );
}

describe.each(languages)('the translation into %s', (language) => {
  it('has every text, and no text that no longer exists (see CONTRIBUTING.md)', () => {
    expect([missingTexts(language), staleTexts(language)]).toEqual([{ code: {}, manifest: {} }, []]);
  });

  it('keeps placeholders, marks and links, and uses the quotation marks and plural forms of the language', () => {
    expect(problems(language)).toEqual([]);
  });
});

describe('translations', () => {
  it('exist for exactly the listed languages', () => {
    const found = (folder: string, name: RegExp): readonly string[] =>
      readdirSync(folder)
        .flatMap((file) => name.exec(file)?.[1] ?? [])
        .sort();
    expect([found('l10n', /^bundle\.l10n\.(.+)\.json$/), found('.', /^package\.nls\.(.+)\.json$/)]).toEqual([
      [...languages].sort(),
      [...languages].sort(),
    ]);
  });

  it('are refused when they break what the code relies on', () => {
    expect([
      problemsOf('de', 'Delete {name}?', 'Löschen?'),
      problemsOf('de', '{count} files', '{count} {count|Datei|Dateien|Dateien}'),
      problemsOf('ru', '{count} files', '{count} {count|файл|файлов}'),
      problemsOf('ru', '{count} files', '{count} {count|файл|файла|файлов}'),
      problemsOf('fr', '“{name}”', '„{name}“'),
      problemsOf('ja', 'Try `a` again\n', 'もう一度'),
      problemsOf('it', 'Keep this file', 'Keep this file'),
      problemsOf('it', 'MCP', 'MCP'),
      problemsOf('fr', 'Your prompt is saved.', 'Votre message est enregistré.'),
      problemsOf('ja', 'Revert', '元に戻す'),
      problemsOf('fr', 'Cancel', 'Restaurer'),
      problemsOf('de', 'See `prompt`. Turn it on.', 'Siehe `prompt`. Einschalten.'),
      problemsOf('pl', 'See [docs](https://example.com/a).', 'Zobacz [docs](https://example.com/b).'),
    ]).toEqual([
      ['has other placeholders'],
      ['has plural forms, which this language does not use: {count|Datei|Dateien|Dateien}'],
      ['needs exactly three forms: {count|файл|файлов}'],
      [],
      ['has quotation marks of another language: „ “'],
      ['has another number of "\\n"', 'has another number of "`"'],
      ['is the English text'],
      [],
      ['has another word for “prompt”'],
      ['has another word for “revert”'],
      ['has the word for “revert”'],
      [],
      ['lacks ](https://example.com/a)'],
    ]);
  });
});
