import { afterEach, describe, expect, it } from 'vitest';
import { setTranslations, t } from '../../../src/base/translate';

afterEach(() => setTranslations({ language: 'en', texts: {} }));

describe('messages', () => {
  it('stay English without a translation, with what is filled in', () => {
    expect([
      t('Plain'),
      t('{count} of {total}', { count: 1, total: '2' }),
      t('{unknown} stays'),
      t('{count|a|b|c}', { other: 1 }),
    ]).toEqual(['Plain', '1 of 2', '{unknown} stays', '{count|a|b|c}']);
  });

  it('are in the editor’s language once it is known', () => {
    setTranslations({ language: 'de', texts: { 'Delete {name}?': '{name} löschen?' } });
    expect([t('Delete {name}?', { name: 'toString {name}' }), t('toString'), t('Keep')]).toEqual([
      'toString {name} löschen?',
      'toString',
      'Keep',
    ]);
  });

  it('take the form that the language uses after a number, however the number is written', () => {
    const after = (language: string, forms: string, counts: readonly (string | number)[]): readonly string[] => {
      setTranslations({ language, texts: { '{count} files': `{count} {count|${forms}}` } });
      return counts.map((count) => t('{count} files', { count }));
    };
    expect([
      after('ru', 'файл|файла|файлов', [0, 1, 2, 5, 11, 21, 104, '1\u00a0001', '12 тыс.']),
      after('pl', 'plik|pliki|plików', [0, 1, 2, 5, 12, 21, 22, '1\u00a0234']),
    ]).toEqual([
      [
        '0 файлов',
        '1 файл',
        '2 файла',
        '5 файлов',
        '11 файлов',
        '21 файл',
        '104 файла',
        '1\u00a0001 файл',
        '12 тыс. файлов',
      ],
      ['0 plików', '1 plik', '2 pliki', '5 plików', '12 plików', '21 plików', '22 pliki', '1\u00a0234 pliki'],
    ]);
  });
});
