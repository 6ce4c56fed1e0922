import { expect, it } from 'vitest';
import { languagesWithoutFont } from '../../../scripts/fontsInstall.mjs';

it('names the languages that no font has the characters of', () => {
  expect([
    languagesWithoutFont((code) => (code === 'ja' ? 'Noto Sans CJK JP\n' : '\n')),
    languagesWithoutFont(() => 'Noto Sans CJK JP'),
  ]).toEqual([['Chinese', 'Korean'], []]);
});
