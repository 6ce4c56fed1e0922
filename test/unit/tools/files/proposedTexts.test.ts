import { describe, expect, it } from 'vitest';
import { bothTexts, proposedFiles } from '../../../../src/tools/files/proposedTexts';
import { unifiedDiff } from '../../../../src/tools/files/unifiedDiff';

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('the texts of a proposed change', () => {
  it.each([
    ['an edit in two places', numbered(40), numbered(40).replace('line 3\n', 'three\n').replace('line 30\n', '')],
    ['an insertion at the start', 'a\nb\n', 'new\na\nb\n'],
    ['an insertion at the end', 'a\nb\n', 'a\nb\nnew\n'],
    ['lines that look like headers', '-- a\n++ b\nc\n', '-- x\n++ b\nc\n-- d\n'],
    ['a new file', null, 'a\nb\n'],
    ['an empty file that gets text', '', 'a\n'],
    ['a deleted file', 'a\nb\n', null],
    ['no line end at the end', 'a\nb', 'a\nc'],
  ])('are those of the files: %s', (_what, before, after) => {
    const [file, ...more] = proposedFiles(unifiedDiff('src/a.ts', before, after));
    expect([more, file?.shown, file && bothTexts(file, before)]).toEqual([
      [],
      'src/a.ts',
      { before: before ?? '', after: after ?? '' },
    ]);
  });

  it('are told apart by file when one call changes several', () => {
    const diff = [
      unifiedDiff('a.ts', 'a\n', 'b\n'),
      unifiedDiff('b.ts', null, 'new\n'),
      unifiedDiff('c.ts', 'c\n', null),
    ];
    expect(proposedFiles(diff.join('\n')).map(({ shown, kind, isWhole }) => `${shown} ${kind} ${isWhole}`)).toEqual([
      'a.ts edited true',
      'b.ts created true',
      'c.ts deleted true',
    ]);
  });

  it('have only the lines of the diff where it is cut off, or where the file is another one by now', () => {
    const before = numbered(400);
    const after = before.replaceAll('line', 'row');
    const cut = `${unifiedDiff('a.ts', before, after).split('\n').slice(0, 6).join('\n')}\n… (797 more lines)\n(All of it: 0123)`;
    const [file] = proposedFiles(cut);
    const [other] = proposedFiles(unifiedDiff('a.ts', 'a\nb\n', 'a\nc\n'));
    expect([file && bothTexts(file, before), other && bothTexts(other, 'x\ny\nz\n')]).toEqual([
      { before: 'line 1\nline 2\nline 3\n…\n', after: '…\n' },
      { before: 'a\nb\n', after: 'a\nc\n' },
    ]);
  });
});
