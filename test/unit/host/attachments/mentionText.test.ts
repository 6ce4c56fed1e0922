import { describe, expect, it } from 'vitest';
import {
  cutTo,
  excerptOf,
  mostCharacters,
  mostEntries,
  mostLines,
  treeOf,
} from '../../../../src/host/attachments/attachedText';
import { rankedPath, rankOf } from '../../../../src/host/attachments/mentionRank';
import { readSource, withLines, withoutLines } from '../../../../src/host/attachments/mentionSource';

describe('the source of a mention', () => {
  it.each([
    ['file:src/a.ts', { kind: 'file', path: 'src/a.ts', lines: null }],
    ['file:src/a.ts:10', { kind: 'file', path: 'src/a.ts', lines: { from: 10, to: 10 } }],
    ['file:src/a.ts:24-10', { kind: 'file', path: 'src/a.ts', lines: { from: 10, to: 24 } }],
    ['file:C:\\w\\a.ts:0', { kind: 'file', path: 'C:\\w\\a.ts', lines: { from: 1, to: 1 } }],
    ['file:a:b/c.ts', { kind: 'file', path: 'a:b/c.ts', lines: null }],
    ['folder:src/b', { kind: 'folder', path: 'src/b' }],
    ['symbol:src/a.ts:10-24#retry', { kind: 'symbol', path: 'src/a.ts', lines: { from: 10, to: 24 }, name: 'retry' }],
    [
      'symbol:src/c#/a.ts:3##secret',
      { kind: 'symbol', path: 'src/c#/a.ts', lines: { from: 3, to: 3 }, name: '#secret' },
    ],
    ['problems', { kind: 'problems', path: null }],
    ['problems:src/a.ts', { kind: 'problems', path: 'src/a.ts' }],
    ['selection', { kind: 'selection' }],
    ['terminal', { kind: 'terminal' }],
    ['git:diff', { kind: 'git', what: 'diff' }],
    ['git:1a2b3c4', { kind: 'git', what: '1a2b3c4' }],
    ['session:20260101_100000_abcdef', { kind: 'session', sessionId: '20260101_100000_abcdef' }],
  ])('%s is read', (source, target) => {
    expect(readSource(source)).toEqual(target);
  });

  it.each([
    '',
    'file',
    'file:',
    'folder:',
    'symbol:src/a.ts#x',
    'symbol:#x',
    'git:',
    'git:--output=x',
    'git:HEAD',
    'selection:x',
    'https://example.com',
  ])('%j names nothing', (source) => {
    expect(readSource(source)).toBeNull();
  });

  it('converts between path with lines and words in both directions', () => {
    expect([
      withLines('a.ts', null),
      withLines('a.ts', { from: 3, to: 3 }),
      withLines('a.ts', { from: 3, to: 9 }),
      withoutLines(':12'),
    ]).toEqual(['a.ts', 'a.ts:3', 'a.ts:3-9', { path: ':12', lines: null }]);
  });
});

describe('the text taken from a file', () => {
  it('is all of it or the named lines, whatever the line endings', () => {
    expect([
      excerptOf('a\r\nb\rc\n', null),
      excerptOf('a\nb\nc', { from: 2, to: 99 }),
      excerptOf('a\nb', { from: 3, to: 4 }),
      excerptOf('', null),
    ]).toEqual(['a\nb\nc', 'b\nc', null, '']);
  });

  it('is the head of a file that is too long, and says how long the file is', () => {
    const lines = Array.from({ length: mostLines + 5 }, (_, index) => `line ${index + 1}`).join('\n');
    const tall = excerptOf(lines, null) ?? '';
    const wide = excerptOf(`${'x'.repeat(mostCharacters + 10)}\nb`, null) ?? '';
    expect([
      tall.split('\n').length,
      tall.split('\n').at(-1),
      wide.startsWith('x'.repeat(mostCharacters)),
      wide.split('\n').at(-1),
    ]).toEqual([
      mostLines + 1,
      `(Lines 1 to ${mostLines} of ${mostLines + 5}. The rest was left out; it can be read from the file.)`,
      true,
      `(The first ${mostCharacters} characters of line 1. The file has 2 lines.)`,
    ]);
  });

  it('is cut at either end if only one end matters', () => {
    expect([cutTo('abc', 3), cutTo('abcdef', 3), cutTo('abcdef', 3, 'tail')]).toEqual([
      'abc',
      'abc\n(The first 3 of 6 characters.)',
      '(The last 3 of 6 characters.)\ndef',
    ]);
  });
});

describe('the folder tree', () => {
  it('names every folder once, files first', () => {
    expect(treeOf(['b/z.ts', 'a.ts', 'b/c/d.ts', 'b/a.ts', 'b-2/x.ts', 'b/c/e.ts'], false)).toBe(
      'a.ts\nb/\n  a.ts\n  z.ts\n  c/\n    d.ts\n    e.ts\nb-2/\n  x.ts',
    );
  });

  it('ends after a line limit and says so', () => {
    const lines = treeOf(
      Array.from({ length: mostEntries + 1 }, (_, index) => `f${String(index).padStart(4, '0')}`),
      false,
    ).split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([mostEntries + 1, '(There is more; only the beginning is listed.)']);
  });
});

describe('the order of matches', () => {
  const ordered = (typed: string, ...paths: readonly string[]): readonly string[] =>
    paths
      .flatMap((path) => {
        const rank = rankOf(rankedPath(path), typed);
        return rank === null ? [] : [{ path, rank }];
      })
      .sort((a, b) => b.rank - a.rank)
      .map(({ path }) => path);

  it('is: the name, its beginning, a word in it, anywhere in it, the path, its letters', () => {
    expect(
      ordered(
        'upload',
        'upload/queue.ts',
        'src/reUpload.ts',
        'src/upload.ts',
        'src/uploadQueue.ts',
        'src/preupload.ts',
        'src/useUpload.ts',
        'u/p/l/o/a/d',
        'src/upload',
        'none.ts',
      ),
    ).toEqual([
      'src/upload',
      'src/upload.ts',
      'src/uploadQueue.ts',
      'src/reUpload.ts',
      'src/useUpload.ts',
      'src/preupload.ts',
      'upload/queue.ts',
      'u/p/l/o/a/d',
    ]);
  });

  it('accepts letters in order over the whole path, and puts the shorter of equal paths first', () => {
    expect([
      ordered('uq', 'src/uploadQueue.ts', 'src/q/u.ts'),
      ordered('src/up', 'lib/src/up.ts', 'src/up.ts', 'src/deep/up.ts'),
      ordered('', 'b', 'aa'),
    ]).toEqual([['src/uploadQueue.ts'], ['src/up.ts', 'lib/src/up.ts', 'src/deep/up.ts'], ['b', 'aa']]);
  });
});
