import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MarkdownBlocks } from '../../../src/webview/markdown/blocks';
import { BrowserPreview } from '../../support/webviewPreview/browserPreview';

let preview: BrowserPreview;
beforeAll(async () => {
  preview = await BrowserPreview.start({ sanitizedBlocks: 'test/support/webviewPreview/sanitizedBlocksProgram.ts' }, 'chat');
}, 120_000);
afterAll(() => preview.close());

test('blocks that are sanitised together come out as each would alone', async () => {
  const pieces = [
    'text ', '**bold** ', '[![p](a.png)](b)', '[a [b](c) d](e)', '<a href="x">', '</a>', '</blockquote>', '<td>', '\n\n', '> quote\n', '- item\n', '1. [x](y)\n', '| a | b |\n|---|---|\n| [q](r) | *s* |\n\n', '```html\n</blockquote>\n```\n\n', '# H\n',
    '---\n', '- [ ] todo\n', '&lt;', '`<b>`', '~~del~~ ', 'https://example.com ', '<svg onload=x>', '\u0000', '<!--', '\\', '***', '__',
  ];
  const documents = fc.sample(fc.array(fc.constantFrom(...pieces), { minLength: 5, maxLength: 40, size: 'max' }), 400).map((parts) => new MarkdownBlocks().render(parts.join(''), true).map(({ html }) => html));
  const { page } = await preview.open('complete');
  await page.evaluate(preview.source('sanitizedBlocks'));
  const differing = await page.evaluate((given): unknown => {
    const find: unknown = Reflect.get(window, 'differing');
    if (typeof find !== 'function') throw new Error('The program is not there');
    return find(given);
  }, documents);
  await page.close();
  expect(differing).toEqual([]);
}, 120_000);
