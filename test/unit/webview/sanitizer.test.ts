import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { MarkdownBlocks } from '../../../src/webview/markdown/blocks';
import { BrowserPreview } from '../../support/webviewPreview/browserPreview';

let preview: BrowserPreview;
let page: Page;
beforeAll(async () => {
  preview = await BrowserPreview.start({ sanitizer: 'test/support/webviewPreview/sanitizerProgram.ts' }, 'chat');
}, 120_000);
afterAll(() => preview.close());
beforeEach(async () => {
  ({ page } = await preview.open('complete'));
  await page.evaluate(preview.source('sanitizer'));
});
afterEach(() => page.close());

/** The markup of what was made of each piece of HTML, by the sanitiser and by the browser's own parser. */
function markups(htmls: readonly string[]): Promise<readonly { readonly ours: string; readonly browsers: string; readonly depth: number }[]> {
  return page.evaluate((given) => {
    const sanitize: unknown = Reflect.get(window, 'sanitizedFragment');
    if (typeof sanitize !== 'function') throw new Error('The sanitiser is not there');
    return given.map((html) => {
      const [ours, browsers] = [document.createElement('div'), document.createElement('template')];
      ours.append(sanitize(html));
      browsers.innerHTML = html;
      let depth = 0;
      for (let inner: Element | null = ours.firstElementChild; inner !== null; inner = inner.firstElementChild) depth++;
      return { ours: ours.innerHTML, browsers: browsers.innerHTML, depth };
    });
  }, htmls);
}

const rendered = (text: string): string => new MarkdownBlocks().render(text, true).map(({ html }) => html).join('');

test('makes of what the renderer writes what the browser would', async () => {
  const pieces = [
    'text ', '**bold** ', '[a [b](c) d](e)', '<a href="x">', '</a>', '</blockquote>', '<td>', '\n\n', '> quote\n', '- item\n', '1. [x](y)\n', '7. seven\n', '| a | b |\n|---|:-:|\n| [q](r) | *s* |\n\n', '```html\n</blockquote>\n```\n\n', '# H\n',
    '---\n', '- [ ] todo\n', '- [x] done\n', '&lt;', '&nbsp;', '&copy', '&bogus;', '&notin;', '&notit;', '&#60;', '&#x3C;', '&#0;', '&#1114112;', '&amp;lt;', '&', '"', '\'', '`<b>`', '~~del~~ ', 'https://example.com?a=1&b=2 ', '<svg onload=x>', '<!--', '\\', '***', '__', '$x_1$ ', '$$\nx\n$$\n', '  \n', '![p](a.png "t")',
  ];
  const documents = fc.sample(fc.array(fc.constantFrom(...pieces), { minLength: 5, maxLength: 40, size: 'max' }), 500).map((parts) => rendered(parts.join('')));
  // A link in a link, which a picture in one makes, is the one thing that the browser puts elsewhere.
  const plain = documents.filter((html) => !/<a [^>]*>(?:(?!<\/a>).)*<a /s.test(html));
  const differing = (await markups(plain)).filter(({ ours, browsers }) => ours !== browsers);
  expect([plain.length > 300, differing]).toEqual([true, []]);
}, 120_000);

test('shows a tag as text that the renderer would not write, and keeps what stands around it', async () => {
  const htmls = ['<p onclick="x">kept</p>', '<p style="x">', '<img src="x">', '<P>a</P>', '<p class=x>', '</p>stray', '<em>a</p>b</em>', '<a href="x">a</a>', '<p><b', '<svg><p>in</p></svg>'];
  expect((await markups(htmls)).map(({ ours }) => ours)).toEqual([
    '&lt;p onclick="x"&gt;kept&lt;/p&gt;', '&lt;p style="x"&gt;', '&lt;img src="x"&gt;', '&lt;P&gt;a&lt;/P&gt;', '&lt;p class=x&gt;', '&lt;/p&gt;stray', '<em>a&lt;/p&gt;b</em>', '&lt;a href="x"&gt;a&lt;/a&gt;', '<p>&lt;b</p>',
    '&lt;svg&gt;<p>in</p>&lt;/svg&gt;',
  ]);
});

test('makes one link of a picture in a link: the one that is written around it', async () => {
  const [made] = await markups([rendered('[a ![p](a.png) b](c.md)')]);
  expect(made?.ours).toBe('<p><a role="link" tabindex="0" data-href="c.md" title="c.md">a p b</a></p>\n');
});

test('makes elements no deeper than the browser does, whatever is nested', async () => {
  const [made] = await markups([`${'<em>'.repeat(3000)}deep${'</em>'.repeat(3000)}`]);
  expect(made?.depth).toBe(500);
});
