import { expect, test } from 'vitest';
import { PageKeys } from '../../../src/host/pageKeys';

test('a page that lost the keys is where the person was for a minute, unless something else was in use since', () => {
  let now = 0;
  const keys = new PageKeys(() => now);
  const seen: (readonly [string, boolean, boolean])[] = [];
  const look = (what: string): void => void seen.push([what, keys.isHere, keys.wasHere]);
  look('at the beginning');
  keys.changed(false);
  look('lost without having had them');
  keys.changed(true);
  look('got them');
  keys.changed(false);
  now = 60_000;
  look('a minute ago');
  now = 60_001;
  look('longer ago');
  keys.changed(true);
  keys.changed(false);
  keys.wentElsewhere();
  look('something else was used');
  expect(seen).toEqual([
    ['at the beginning', false, false], ['lost without having had them', false, false], ['got them', true, true], ['a minute ago', false, true], ['longer ago', false, false],
    ['something else was used', false, false],
  ]);
});
