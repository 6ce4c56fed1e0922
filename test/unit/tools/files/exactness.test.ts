import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { difference } from '../../../../src/host/workspace/documentEdits';
import { NotAText } from '../../../../src/tools/files/fileEditor';
import { joinLines, splitLines } from '../../../../src/tools/files/lines';
import { patched } from '../../../../src/tools/files/patching';
import { readPatch } from '../../../../src/tools/files/patchText';
import { replaced } from '../../../../src/tools/files/replacement';
import { decodeTextFile, encodeText } from '../../../../src/tools/files/textFormat';

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
/** Lines that differ from one another, with any line ends, with or without the last one. */
const mixedText = fc
  .tuple(
    fc.uniqueArray(
      fc.stringMatching(/^[a-zé👩“ ]{1,8}$/u).filter((text) => text.trim() !== ''),
      { minLength: 1, maxLength: 12, selector: (text) => text.trim() },
    ),
    fc.array(lineEnd, { minLength: 12, maxLength: 12 }),
    fc.boolean(),
  )
  .map(([texts, ends, closed]) =>
    texts.map((text, index) => ({
      text: `${index}:${text}`,
      end: index === texts.length - 1 && !closed ? '' : (ends[index] ?? '\n'),
    })),
  );

describe('bytes', () => {
  it('that are read as text are written back the same, or are refused', () => {
    fc.assert(
      fc.property(
        fc.tuple(
          fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]),
          fc.oneof(
            fc.uint8Array(),
            fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
          ),
        ),
        ([mark, rest]) => {
          const bytes = Uint8Array.from([...mark, ...rest]);
          try {
            const file = decodeTextFile('a', bytes);
            expect(Buffer.from(encodeText('a', file.text, file))).toEqual(Buffer.from(bytes));
          } catch (error) {
            if (!(error instanceof NotAText)) throw error;
          }
        },
      ),
    );
  }, 120_000);
});

describe('lines', () => {
  it('that are split and joined give the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\r', '\n', '\u2028') }), (text) => {
        expect(joinLines(splitLines(text))).toBe(text);
      }),
    );
  });
});

describe('an edit as a model writes it', () => {
  it('changes the intended line and not one byte of the others', () => {
    fc.assert(
      fc.property(mixedText, fc.nat(), fc.nat(), (lines, from, count) => {
        const first = from % lines.length;
        const region = lines.slice(first, first + 1 + (count % 3));
        const changed = region.length - 1;
        const oldText = region.map(({ text }) => text).join('\n');
        const newText = region.map(({ text }, index) => (index === changed ? 'changed' : text)).join('\n');
        const expected = joinLines(
          lines.map((line, index) => (index === first + changed ? { ...line, text: 'changed' } : line)),
        );
        expect(replaced(joinLines(lines), { oldText, newText, all: false }, 'a')).toBe(expected);
        const patch = [
          '*** Begin Patch',
          '*** Update File: a',
          '@@',
          ...region.slice(0, changed).map(({ text }) => ` ${text}`),
          `-${region[changed]?.text ?? ''}`,
          '+changed',
          '*** End Patch',
        ].join('\n');
        const [file] = readPatch(patch);
        expect(file?.kind === 'update' ? patched(joinLines(lines), file.hunks, 'a') : null).toBe(expected);
      }),
    );
  });

  it('reaches the editor as the smallest change that gives the same text and splits no character', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '\r\n', '\n', '👩', '👨'), { maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (from, to) => {
        const change = difference(from, to);
        expect(from.slice(0, change.start) + change.text + from.slice(change.end)).toBe(to);
        expect(
          [change.text, from.slice(0, change.start), from.slice(change.end)].every((part) => part.isWellFormed()),
        ).toBe(true);
        expect(/\r$/.test(from.slice(0, change.start)) && from[change.start] === '\n').toBe(false);
      }),
    );
  });
});
