import { describe, expect, test } from 'vitest';
import { disguisedHost } from '../../../../src/webview/markdown/blocksInView';
import { fileNamesIn, mayBeName } from '../../../../src/webview/markdown/references';

describe('names of files in prose', () => {
  test.each([
    ['See src/upload.ts.', ['src/upload.ts']],
    ['In src/upload.ts:42, and (test/a.test.ts:7:3)', ['src/upload.ts:42', 'test/a.test.ts:7:3']],
    ['upload.ts line 42 and upload.ts (line 7)', ['upload.ts line 42', 'upload.ts (line 7)']],
    ['(upload.ts line 42)', ['upload.ts line 42']],
    ['src/upload.ts#L10-L20; ./a/b.py', ['src/upload.ts#L10-L20', './a/b.py']],
    ['either/or, and/or, 1/2, 3.14, a b', []],
    ['at https://example.com/a.ts', []],
    ['the end.Next one', ['end.Next']],
  ])('%j', (text, expected) => expect(fileNamesIn(text).map((name) => name.text)).toEqual(expected));

  test('keep their positions', () => {
    const text = 'ä src/a.ts b src/a.ts:1.';
    expect(fileNamesIn(text).map((name) => text.slice(name.start, name.start + name.text.length))).toEqual([
      'src/a.ts',
      'src/a.ts:1',
    ]);
  });
});

test.each([
  ['waitBefore', true],
  ['Clock.sleep()', true],
  ['src/a b.ts', false],
  ['src/a.ts:3', true],
  ['true', false],
  ['npm', false],
  ['npm test', false],
  ['https://example.com', false],
  ['a => b', false],
  ['x', false],
])('inline code %j may be a name: %s', (code, expected) => expect(mayBeName(code)).toBe(expected));

describe('the host of a link', () => {
  test.each([
    ['https://example.com/a', 'the manual', null],
    ['https://example.com/a', 'example.com', null],
    ['https://www.example.com/', 'https://example.com/x', null],
    ['https://evil.test/', 'github.com', 'evil.test'],
    ['https://evil.test/', 'https://github.com/login', 'evil.test'],
    ['https://github.com@evil.test/', 'https://github.com@evil.test/', 'evil.test'],
    ['https://раураl.com/', 'paypal', 'xn--l-7sba6dbr.com'],
    ['mailto:a@b.c', 'github.com', null],
    ['src/a.ts', 'github.com', null],
  ])('%s as %j: %s', (href, text, host) => expect(disguisedHost(href, text)).toBe(host));
});
