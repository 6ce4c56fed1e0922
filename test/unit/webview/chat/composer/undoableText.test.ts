import { expect, test } from 'vitest';
import { changedPart } from '../../../../../src/webview/chat/composer/undoableText';

test.each([
  ['', 'a', [0, 0, 'a']],
  ['abc', 'abc', [3, 3, '']],
  ['abc', 'axc', [1, 2, 'x']],
  ['aa', 'aaa', [2, 2, 'a']],
  ['x\u{1f600}y', 'x\u{1f601}y', [1, 3, '\u{1f601}']],
  ['\u{1f600}', '\u{1f600}\u{1f600}', [2, 2, '\u{1f600}']],
  ['a\u{10000}', 'a\u{10400}', [1, 3, '\u{10400}']],
  ['\ud83d\ude00b', '\ud83c\ude00b', [0, 2, '\ud83c\ude00']],
] as const)('the part of a text that changes from %j to %j', (before, after, [start, end, inserted]) => {
  expect(changedPart(before, after)).toEqual({ start, end, inserted });
});
