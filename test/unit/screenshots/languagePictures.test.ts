import { expect, it } from 'vitest';
import { nameIn } from '../../screenshots/languagePictures';

it('finds by its English name what another language calls differently, also with numbers in it', () => {
  const german = {
    Allow: 'Zulassen',
    '{count} files changed': '{count} Dateien geändert',
    'Search in {folder} (all)': 'In {folder} suchen (alle)',
  };
  const finds = (english: string, text: string): boolean => nameIn(german, english).test(text);
  expect([
    finds('Allow', 'Zulassen'),
    finds('4 files changed', '4 Dateien geändert'),
    finds('Search in src (all)', 'In src suchen (alle)'),
    finds('Add (x)', 'Add (x)'),
    finds('Allow', 'Allow'),
  ]).toEqual([true, true, true, true, false]);
});
