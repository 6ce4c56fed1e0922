import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MarkdownBlocks } from '../../../../src/webview/markdown/blocks';

const html = (blocks: ReturnType<MarkdownBlocks['render']>): string => blocks.map((block) => block.html).join('');
const wholeRender = (text: string): string => html(new MarkdownBlocks().render(text, true));

function streamed(text: string, cuts: readonly number[]): string {
  const blocks = new MarkdownBlocks();
  const ends = [...cuts.map((cut) => Math.floor(cut * text.length))].sort((a, b) => a - b);
  for (const end of ends) blocks.render(text.slice(0, end), false);
  return html(blocks.render(text, true));
}

const pieces = [
  '# Title\n\n',
  'A paragraph with `code` and **bold**.\n\n',
  '1. one\n\n',
  '2. two\n',
  '- a\n- b\n\n',
  '- [ ] open\n- [x] done\n\n',
  '  indented\n\n',
  '    four spaces\n\n',
  '```ts\nconst a = 1;\n\nlet b;\n```\n\n',
  '~~~\nopen fence\n',
  '| a | b |\n|---|:-:|\n| 1 | 2 |\n\n',
  '> quote\nlazy\n\n',
  '> - nested\n>   list\n\n',
  '---\n',
  '===\n',
  '[ref]: https://example.com "t"\n\n',
  'See [ref] and [other][ref].\n\n',
  '<div>\nraw\n\n</div>\n\n',
  '<!-- comment\n\nstill -->\n',
  'https://example.com/a?b=c\n',
  'line\r\nbreak\r\n\r\n',
  '* star\n',
  '+ plus\n',
  '2',
  '. x\n',
  '\n',
  ' ',
  'text',
  '\\',
  '[',
  '](',
  '!',
  '`',
  '**',
  '_',
  '$$\n',
  '$$',
  '$x_1 + y_2$ ',
  '\\[\n',
  '\\]\n',
  '\\(a_b\\)',
  'a_b * c_d\n',
  '$5 and $10 ',
  '[^1]: note\n',
  '$',
];

describe('the stable-block cache', () => {
  test('gives the same as parsing the whole text, however the text arrives', () => {
    const document = fc
      .array(fc.constantFrom(...pieces), { maxLength: 25, size: 'max' })
      .map((parts) => parts.join(''));
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(document, cuts, (text, at) => streamed(text, at) === wholeRender(text)),
      { numRuns: 300 },
    );
  });

  test('keeps finished blocks unchanged while the tail grows', () => {
    const blocks = new MarkdownBlocks();
    const before = blocks.render('# One\n\nTwo\n\nThree\n\nFour', false);
    const after = blocks.render('# One\n\nTwo\n\nThree\n\nFour and more', false);
    expect(after.slice(0, 2).map((block, index) => block === before[index])).toEqual([true, true]);
  });

  test('gives at every step the same as parsing the text so far, growing code included', () => {
    const fences = [
      '```ts\n',
      '```\n',
      '~~~\n',
      '````\n',
      '  ```\n',
      '``',
      '`',
      ' ```',
      '```  \n',
      'const a = 1;\n',
      '\n\n',
      '    deep\n',
      '> ',
      'text',
      '\r\n',
      '\r',
      '~~~~\n',
      '\0',
      '[ref]: x\n',
      '&<\n',
      '# not a title\n',
    ];
    const document = fc.array(fc.constantFrom(...fences), { maxLength: 25, size: 'max' });
    fc.assert(
      fc.property(document, (parts) => {
        const blocks = new MarkdownBlocks();
        let text = '';
        for (const part of parts) {
          text += part;
          expect(html(blocks.render(text, false))).toBe(html(new MarkdownBlocks().render(text, false)));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('adds to open code without parsing it again', () => {
    const blocks = new MarkdownBlocks();
    blocks.render('Look:\n\n```ts\nconst a', false);
    const grown = blocks.render('Look:\n\n```ts\nconst a = 1;\n', false);
    const closed = blocks.render('Look:\n\n```ts\nconst a = 1;\n```\n', false);
    expect([grown.at(-1)?.code, closed.at(-1)?.code]).toEqual(['const a = 1;', undefined]);
  });
});
