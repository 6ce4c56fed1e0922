import { describe, expect, it } from 'vitest';
import {
  applyOperations,
  entriesOf,
  lengthOf,
  type MemoryOperation,
  textOf,
} from '../../../../src/features/builtinMemory/core/memoryEntries';

const add = (content: string): MemoryOperation => ({ action: 'add', content });
const remove = (oldText: string): MemoryOperation => ({ action: 'remove', oldText });
const replace = (oldText: string, content: string): MemoryOperation => ({ action: 'replace', oldText, content });

function after(
  before: readonly string[],
  operations: readonly MemoryOperation[],
  limit = 100,
): readonly string[] | string {
  const applied = applyOperations(before, operations, limit);
  return applied.kind === 'applied' ? applied.entries : `${applied.kind}: ${applied.text}`;
}

describe('a file of entries', () => {
  it('is read back as it was written', () => {
    const entries = ['uses pnpm', 'two\nlines, with a § inside', 'ünïcode 日本'];
    expect(textOf(entries)).toBe('uses pnpm\n§\ntwo\nlines, with a § inside\n§\nünïcode 日本\n');
    expect(entriesOf(textOf(entries))).toEqual(entries);
    expect([textOf([]), entriesOf('')]).toEqual(['', []]);
  });

  it.each([
    ['line ends of Windows and a byte order mark', '\ufeffone\r\n§\r\ntwo\r\n', ['one', 'two']],
    ['blanks around the separator and empty entries', '§\none\n  § \n\n§\n\ntwo\n§\n', ['one', 'two']],
    ['the same entry twice, keeping the first', 'one\n§\ntwo\n§\none', ['one', 'two']],
  ])('may come from an editor: %s', (_name, text, entries) => {
    expect(entriesOf(text)).toEqual(entries);
  });
});

describe('operations on entries', () => {
  it.each<[string, readonly string[], readonly MemoryOperation[], readonly string[]]>([
    ['add at the end', ['a'], [add(' b \r\n')], ['a', 'b']],
    ['add what is there already changes nothing', ['a'], [add('a')], ['a']],
    [
      'replace by a part of the entry',
      ['likes tea', 'uses pnpm'],
      [replace('tea', 'likes coffee')],
      ['likes coffee', 'uses pnpm'],
    ],
    ['replace by what is there already leaves it once', ['a one', 'b two'], [replace('a one', 'b two')], ['b two']],
    ['remove', ['likes tea', 'uses pnpm'], [remove('pnpm')], ['likes tea']],
    [
      'an entry that is meant as a whole is found although others contain it',
      ['tea', 'green tea'],
      [remove('tea')],
      ['green tea'],
    ],
    ['several, in order', ['a'], [add('bb'), replace('bb', 'cc'), remove('a')], ['cc']],
  ])('%s', (_name, before, operations, entries) => {
    expect(after(before, operations)).toEqual(entries);
  });

  it.each<[string, readonly MemoryOperation[], RegExp]>([
    ['of an entry that is not there', [remove('coffee')], /^refused: No entry contains "coffee"/],
    ['of a part that two entries have', [remove('tea')], /^refused: 2 entries contain "tea": "green tea", "black tea"/],
    ['of no entry at all', [remove('  ')], /^refused: old_text is empty/],
    ['without content', [add(' \n ')], /^refused: The content is empty/],
    ['that would separate', [add('a\n§\nb')], /^refused: The content is empty, or has a line/],
    ['of which one cannot be done', [add('x'), remove('coffee')], /^refused: Operation 2: .* Nothing was changed\.$/],
    ['that do not fit', [add('x'.repeat(100))], /^full: That would take 124 of 100 characters/],
  ])('are refused as a whole: %s', (_name, operations, sentence) => {
    expect(after(['green tea', 'black tea'], operations)).toMatch(sentence);
  });

  it('are counted with their separators, up to the last character', () => {
    const entries = ['a'.repeat(40), 'b'.repeat(40)];
    expect([lengthOf(entries), lengthOf([...entries, 'c'.repeat(14)])]).toEqual([83, 100]);
    expect([after(entries, [add('c'.repeat(14))]), after(entries, [add('c'.repeat(15))])]).toEqual([
      [...entries, 'c'.repeat(14)],
      expect.stringMatching(/^full: That would take 101/),
    ]);
  });

  it('may shorten entries that are already too long, and may free space and use it at once', () => {
    const long = ['a'.repeat(80), 'b'.repeat(80)];
    expect(after(long, [replace('b', 'b'.repeat(40))])).toEqual(['a'.repeat(80), 'b'.repeat(40)]);
    expect(after(long, [remove('aaa'), add('new')])).toEqual(['b'.repeat(80), 'new']);
  });

  it('report what they changed, and the previous text', () => {
    const applied = applyOperations(
      ['likes tea'],
      [replace('tea', 'likes coffee'), remove('coffee'), add('uses pnpm'), add('uses pnpm')],
      100,
    );
    expect(applied.kind === 'applied' ? applied.changes : []).toEqual([
      { action: 'replace', content: 'likes coffee', previous: 'likes tea' },
      { action: 'remove', content: '', previous: 'likes coffee' },
      { action: 'add', content: 'uses pnpm', previous: null },
    ]);
  });
});
