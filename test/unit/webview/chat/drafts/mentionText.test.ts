import { describe, expect, test } from 'vitest';
import type { DraftPart, MentionPart } from '../../../../../src/transcript/draftPart';
import { fileLink } from '../../../../../src/webview/chat/drafts/draftParts';
import {
  followText,
  isMentioned,
  mentionAt,
  withMention,
  withoutSign,
} from '../../../../../src/webview/chat/drafts/composerText';

/** "|" is where the caret is. */
function at(marked: string) {
  const caret = marked.indexOf('|');
  return mentionAt(marked.slice(0, caret) + marked.slice(caret + 1), caret);
}

describe('a mention that is being typed', () => {
  test.each([
    ['@|', { start: 0, query: '' }],
    ['look at @src/up|', { start: 8, query: 'src/up' }],
    ['look at @src/up|load.ts', { start: 8, query: 'src/up' }],
    ['one\n@two|', { start: 4, query: 'two' }],
    ['(@two|)', { start: 1, query: 'two' }],
    ['@Größe.ts|', { start: 0, query: 'Größe.ts' }],
    ['@日本|', { start: 0, query: '日本' }],
  ])('is found in %s', (marked, expected) => {
    expect(at(marked)).toEqual(expected);
  });

  test.each(['me@example.org|', 'look at |@src', '@src and|', '@src |', '@@x|', '|', `@${'x'.repeat(300)}|`])(
    'is absent in %s',
    (marked) => {
      expect(at(marked)).toBe(null);
    },
  );

  test('is written out with a space after it, and the caret after that', () => {
    expect([
      withMention('see @up', { start: 4, query: 'up' }, 'src/upload.ts'),
      withMention('see @up and', { start: 4, query: 'up' }, 'src/upload.ts'),
    ]).toEqual([
      { text: 'see @src/upload.ts ', caret: 19 },
      { text: 'see @src/upload.ts and', caret: 19 },
    ]);
  });
});

describe('a mention in a text', () => {
  test.each([
    ['@src/a.ts', true],
    ['(see @src/a.ts.)', true],
    ['@src/a.tsx', false],
    ['@src/a.ts/b', false],
    ['me@src/a.ts', false],
    ['src/a.ts', false],
    ['@src/a.tsx and @src/a.ts', true],
  ])('%s: %s', (text, expected) => {
    expect(isMentioned(text, 'src/a.ts')).toBe(expected);
  });

  test('leaves its words in the sentence when it is no longer a mention', () => {
    expect([withoutSign('fix @src/a.ts and run', 'src/a.ts'), withoutSign('fix @src/a.tsx', 'src/a.ts')]).toEqual([
      'fix src/a.ts and run',
      'fix @src/a.tsx',
    ]);
  });
});

describe('attached mentions', () => {
  const a: MentionPart = { kind: 'mention', source: 'file:a.ts', label: 'a.ts' };
  const dropped: MentionPart = { kind: 'mention', source: 'folder:b', label: 'b/' };
  const text: DraftPart = { kind: 'attachment', source: 'pasted', label: 'a.ts', text: 'x' };

  test('lose a mention with its words, and restore it with them', () => {
    const deleted = followText('see @a.ts now', 'see @a.t now', [a, dropped, text], []);
    const undone = followText('see @a.t now', 'see @a.ts now', deleted.parts, deleted.gone);
    expect([deleted, undone]).toEqual([
      { parts: [dropped, text], gone: [a] },
      { parts: [dropped, text, a], gone: [] },
    ]);
  });

  test('stay the very same list while other words change', () => {
    const parts = [a, dropped, text];
    expect(followText('see @a.ts', 'see @a.ts, and b/', parts, []).parts).toBe(parts);
  });
});

describe('the link to the target of a mention', () => {
  test.each([
    ['file:src/a.ts', 'src/a.ts'],
    ['file:src/a.ts:10-24', 'src/a.ts:10'],
    ['file:src/C# notes/50%.md', 'src/C%23%20notes/50%25.md'],
    ['symbol:src/a.ts:10-24#retry', 'src/a.ts:10'],
    ['symbol:src/a.ts:10##secret', 'src/a.ts:10'],
    ['folder:src', null],
    ['problems', null],
    ['git:diff', null],
  ])('of %s is %s', (source, expected) => {
    expect(fileLink(source)).toBe(expected);
  });
});
