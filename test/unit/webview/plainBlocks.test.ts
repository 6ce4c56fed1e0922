import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPlain, plainBlocks } from '../../../src/webview/markdown/plainBlocks';
import { lexBlocks, parsedMarkup, renderBlock } from '../../../src/webview/markdown/renderer';

/** HTML of each block by the parser alone, and with what is plain taken out ahead of it. */
function both(text: string): readonly [string, string] {
  return [parsedMarkup(text), lexBlocks(text).tokens.map(renderBlock).join('')];
}

const words = [
  'Some words ', 'and more, ', '`code` ', '`a`', '**bold** ', '*soft* ', '**', '*', '`', '[a](src/a.ts:4) ', '[a b](https://example.com/x?y=1) ', '[', ']', '](', '(x) ', '_', '__', '"quoted" ', "it's ", '& ', '&amp;', '<', '> ', '! ', '![a](b)', '$5 ', '$x$', '\\', '~~', '|', 'https://a.example',
  'www.a.example', 'a@b.example', 'ftp', 'http', ':', '- ', '1. ', '10) ', '# ', '#', '```', '```ts\n', '```\n', '~~~\n', '\n', '\n', '\n\n', '\n\n', '  ', '    ', '\t', '- item\n', '- other\n', '* star\n', '1. one\n', '2. two\n', '7. seven\n', '+ plus\n', '## Title\n', '> quote\n', '>', '---\n', '===\n', '| a | b |\n|---|---|\n',
  '[ref]: x\n', '[x] ', 'ä ö', '“so” ', '\u00a0', '\u0000', '2026', '3.5 ', '\\[', '<b>', '.', ',', ')', '?',
];

describe('blocks that are plain', () => {
  test('read as the parser reads them, whatever stands around them', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...words), { maxLength: 30, size: 'max' }), (pieces) => {
      const [parsed, withPlain] = both(pieces.join(''));
      expect(withPlain).toBe(parsed);
    }), { numRuns: 5000 });
  });

  test('read so where nearly all of it is plain', () => {
    const word = fc.constantFrom('Some words', 'it', '`code`', '**bold**', '*soft*', '**two words**', '[a](src/a.ts:4)', '[a-b](https://example.com/x?y=1)', '"quoted"', "it's", '(x)', '2026', '3.5', 'a.', 'b,', 'c:', 'x > y', 'ä', '#', '-', '+', '1.', '!', 'http', 'ab*', '_', '[', '`', '**', '  ', '(**a**)', '**a**:', '*a*b', 'a*b*');
    const line = fc.array(word, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' '));
    const ahead = fc.constantFrom('', '', '', '- ', '- ', '* ', '1. ', '2. ', '10. ', '> ', '> ', '# ', '### ', '```ts\n', '```\n', '```', '  ', '    ', '+ ', '===', '---', '| ');
    const document = fc.array(fc.tuple(ahead, line, fc.constantFrom('\n', '\n', '\n\n', '\n\n', '\n\n\n', '\n```\n', '\n```\n\n', '')), { maxLength: 8 }).map((lines) => lines.map((parts) => parts.join('')).join(''));
    let plain = 0;
    fc.assert(fc.property(document, (text) => {
      const [parsed, withPlain] = both(text);
      plain += plainBlocks(text).tokens.filter(isPlain).length;
      expect(withPlain).toBe(parsed);
    }), { numRuns: 5000 });
    expect(plain).toBeGreaterThan(400);
  });

  test('read so at every length that a text has on its way', () => {
    const text = 'A **bold** word, *soft*, `code`: see [it](src/a.ts:4) (yes).\nNext line "x".\n\n## Title of it\n1. one\n2. two `x`\n\n- a\n- b\n\nNow:\n\n```ts\nconst a = `b`;\n\n```\n\n> said **so**\n> twice\n\nEnd.\n';
    for (let end = 0; end <= text.length; end++) {
      const [parsed, withPlain] = both(text.slice(0, end));
      expect(withPlain).toBe(parsed);
    }
  });

  test('are most of an answer: the parser is not asked', () => {
    const text = 'A **bold** word, see [it](src/a.ts:4).\n\n## Title\n\n1. one\n2. two `x`\n\n```ts\nconst a = 1;\n```\n\n> said *so*\n\nEnd.\n';
    const { tokens, length } = plainBlocks(text);
    expect([tokens.filter(isPlain).length, length]).toEqual([6, text.length]);
  });
});
