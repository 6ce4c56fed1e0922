import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mostFormatted, TextPieces, type TextPiece } from '../../../../src/webview/markdown/longText';

const fence = '~'.repeat(40);
const whole = (text: string): readonly TextPiece[] => new TextPieces().of(text, true);
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** What of the text stands in the pieces: what was put ahead of a piece is taken away. */
function covered(text: string, pieces: readonly TextPiece[]): string {
  return pieces.map((piece) => piece.text.slice(openingOf(text, piece))).join('');
}

function openingOf(text: string, { at, text: drawn }: TextPiece): number {
  for (let length = 0; length <= drawn.length; length = drawn.indexOf('\n', length) + 1) {
    if (text.startsWith(drawn.slice(length), at)) return length;
    if (!drawn.includes('\n', length)) break;
  }
  throw new Error(`The piece at ${at} is not what stands there: ${drawn.slice(0, 60)}`);
}

describe('a long text in pieces', () => {
  test('is cut between two blocks, and a short one is one piece', () => {
    const paragraphs = Array.from({ length: 60 }, (_, index) => `Paragraph ${index}. ${'words '.repeat(80)}`).join(
      '\n\n',
    );
    const pieces = whole(paragraphs);
    expect(pieces.every(({ text }) => text.startsWith('Paragraph '))).toBe(true);
    expect({
      many: pieces.length > 2,
      together: covered(paragraphs, pieces) === paragraphs,
      short: whole('One.\n\nTwo.').length,
    }).toEqual({ many: true, together: true, short: 1 });
  });

  test('keeps copyable code together, and reopens longer code in its language', () => {
    const line = (index: number): string => `let a${String(index).padStart(4, '0')};`;
    const code = (size: number): string => `Before.\n\n\`\`\`ts\n${lines(size / 10, line)}\n\`\`\`\n\nAfter.`;
    const [middle, long] = [whole(code(60_000)), whole(code(250_000))];
    expect(middle.map(({ text }) => [text.slice(0, 6), text.slice(-6)])).toEqual([
      ['Before', 'ore.\n\n'],
      ['```ts\n', ';\n```\n'],
      ['\nAfter', 'After.'],
    ]);
    expect(long.map(({ text }) => text.split('\n', 1)[0])).toEqual([
      'Before.',
      '```ts',
      `${fence}ts`,
      `${fence}ts`,
      '',
    ]);
    expect(long.at(-1)?.text).toBe('\nAfter.');
  });

  test('ends reopened code at its end, also without a line after it and while it arrives', () => {
    const text = `\`\`\`\`python\n${'x = 1\n'.repeat(20_000)}\`\`\`\nstill code\n\`\`\`\``;
    expect(whole(text).at(-1)?.text.endsWith('still code\n')).toBe(true);
    const arriving = new TextPieces();
    expect(arriving.of(text, false).at(-1)?.text.endsWith('still code\n````')).toBe(true);
    expect(arriving.of(`${text}\nBehind.`, true).at(-1)?.text).toBe('Behind.');
  });

  test('leaves out nothing where a quote ends together with reopened code in it', () => {
    const text = `> \`\`\`ts\n${'> let a = 1;\n'.repeat(9000)}Behind the quote.\nAnd on.\n`;
    const pieces = whole(text);
    expect([pieces.length > 1, pieces.at(-1)?.text]).toEqual([true, 'Behind the quote.\nAnd on.\n']);
  });

  test('cuts code before a line that would make it too long', () => {
    const text = `\`\`\`ts\n${'let a = 1;\n'.repeat(9000)}${'x'.repeat(40_000)}\n\`\`\`\n`;
    const pieces = whole(text);
    expect(pieces.map(({ text: { length } }) => length <= 100_100)).toEqual([true, true]);
    expect(pieces[1]?.text.startsWith(`${fence}ts\nxxx`)).toBe(true);
  });

  test('continues a list at an item and a table under its header', () => {
    const list = whole(lines(2000, (index) => `${index + 1}. item\n   more of it`));
    expect(list.slice(1).every(({ text }) => /^\d+\. item\n/.test(text))).toBe(true);
    const table = whole(`| a | b |\n|---|:-:|\n${lines(2000, (index) => `| ${index} | x |`)}`);
    expect(table.slice(1).every(({ text }) => /^\| a \| b \|\n\|---\|:-:\|\n\| \d+ \| x \|\n/.test(text))).toBe(true);
    expect([list.length > 1, table.length > 1]).toEqual([true, true]);
  });

  test('cuts a line that is too long after a word, never inside a character', () => {
    const words = whole('word '.repeat(9000));
    expect(words.slice(0, -1).every(({ text }) => text.endsWith('word '))).toBe(true);
    const signs = whole(`x${'😀'.repeat(20_001)}`);
    expect({
      many: [words.length > 2, signs.length > 2],
      wellFormed: signs.every(({ text }) => text.isWellFormed()),
    }).toEqual({ many: [true, true], wellFormed: true });
  });

  test('shows text beyond the formatting limit as it is', () => {
    const text = lines(mostFormatted / 10, (index) => `- **i${String(index % 1000).padStart(3, '0')}**`).repeat(2);
    const pieces = whole(text);
    const firstPlain = pieces.findIndex(({ isPlain }) => isPlain);
    expect({
      plain: pieces.slice(firstPlain).every(({ isPlain }) => isPlain),
      at: (pieces[firstPlain]?.at ?? 0) >= mostFormatted,
      together: covered(text, pieces) === text,
    }).toEqual({ plain: true, at: true, together: true });
  });

  const block = fc.oneof(
    fc.integer({ min: 1, max: 400 }).map((count) => `${'some words '.repeat(count)}\n\n`),
    fc.integer({ min: 1, max: 300 }).map((count) => `${lines(count, (index) => `- item ${index}`)}\n\n`),
    fc
      .tuple(fc.constantFrom('```', '~~~~', '  ```', '- ```', '> ```'), fc.integer({ min: 1, max: 9000 }))
      .map(([mark, count]) => `${mark}ts\n${'  let a = 1;\n'.repeat(count)}${mark.replace(/[->]/g, ' ')}\n`),
    fc.integer({ min: 1, max: 200 }).map((count) => `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(count)}\n`),
    fc.integer({ min: 10_000, max: 40_000 }).map((count) => 'x'.repeat(count)),
    fc.constantFrom('<div>\nraw\n', '> quote\n', '\r\n', '# Title\n', '    indented\n'),
  );

  test('is cut in the same places however it arrives; only closing code lines are omitted; no piece exceeds its limit', () => {
    fc.assert(
      fc.property(
        fc.array(block, { minLength: 1, maxLength: 12 }),
        fc.array(fc.integer({ min: 400, max: 9000 }), { minLength: 1, maxLength: 6 }),
        (blocks, steps) => {
          const text = blocks.join('');
          const atOnce = whole(text);
          const arriving = new TextPieces();
          for (let end = 0, step = 0; end < text.length; step++) {
            end = Math.min(text.length, end + (steps[step % steps.length] ?? 1));
            const given = text.slice(0, end);
            if (!arriving.isContinuedBy(given)) return false;
            arriving.of(given, false);
          }
          const bitByBit = arriving.of(text, true);
          let from = 0;
          for (const piece of atOnce) {
            const between = text.slice(from, piece.at);
            if (between !== '' && !/^[ >-]*(?:`{3,}|~{3,})\s*$/.test(between)) return false;
            from = piece.at + piece.text.length - openingOf(text, piece);
            if (piece.text.length > 101_000) return false;
          }
          const rest = text.slice(from);
          return (
            JSON.stringify(bitByBit) === JSON.stringify(atOnce) &&
            (rest === '' || /^[ >-]*(?:`{3,}|~{3,})\s*$/.test(rest))
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('that is replaced gets a new cutter', () => {
    const pieces = new TextPieces();
    pieces.of('One two', false);
    expect([pieces.isContinuedBy('One two three'), pieces.isContinuedBy('Another')]).toEqual([true, false]);
    pieces.of('One two', true);
    expect([pieces.isContinuedBy('One two'), pieces.isContinuedBy('One two three')]).toEqual([true, false]);
  });
});
