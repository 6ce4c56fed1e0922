import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MarkdownBlocks } from '../../../../src/webview/markdown/blocks';
import { safeLink } from '../../../../src/webview/markdown/links';

const html = (text: string): string =>
  new MarkdownBlocks()
    .render(text, true)
    .map((block) => block.html)
    .join('');

describe('Markdown of an answer', () => {
  test('shows raw HTML as its text', () => {
    expect(html('a <img src=x onerror=alert(1)> b\n\n<script>alert(1)</script>')).toBe(
      '<p>a &lt;img src=x onerror=alert(1)&gt; b</p>\n<p class="raw-html">&lt;script&gt;alert(1)&lt;/script&gt;</p>\n',
    );
  });

  test('gives a link no address that the page itself could follow', () => {
    expect(html('[file](src/a.ts#L3) <https://example.com> ![picture](https://example.com/p.png)')).toBe(
      '<p><a role="link" tabindex="0" data-href="src/a.ts#L3" title="src/a.ts#L3">file</a> ' +
        '<a role="link" tabindex="0" data-href="https://example.com" title="https://example.com">https://example.com</a> ' +
        '<a role="link" tabindex="0" data-href="https://example.com/p.png" title="https://example.com/p.png">picture</a></p>\n',
    );
  });

  test.each([
    ['a $x_1 + y_2 * z_3$ b *c*', '<p>a <span class="math">$x_1 + y_2 * z_3$</span> b <em>c</em></p>\n'],
    ['*a $b*c$ d*', '<p><em>a <span class="math">$b*c$</span> d</em></p>\n'],
    [
      '\\(a_1 \\cdot b_1\\) and $$\\{x\\}$$',
      '<p><span class="math">\\(a_1 \\cdot b_1\\)</span> and <span class="math">$$\\{x\\}$$</span></p>\n',
    ],
    [
      'so\n$$\n# a\n- b_1 &= c_2 \\\\\n$$\nthen',
      '<p>so</p>\n<p class="math-block">$$\n# a\n- b_1 &amp;= c_2 \\\\\n$$</p>\n<p>then</p>\n',
    ],
    [
      '$$\na_1 = b\n\n\\text{and so} c_2\n\n$$\n\nthen *so*',
      '<p class="math-block">$$\na_1 = b\n\n\\text{and so} c_2\n\n$$</p>\n<p>then <em>so</em></p>\n',
    ],
    ['$$\nx_1\n\n_y_ = 2', '<p class="math-block">$$\nx_1\n\n_y_ = 2</p>\n'],
    ['$$\n\nThis is *no* math.', '<p>$$</p>\n<p>This is <em>no</em> math.</p>\n'],
    ['$$\nx\n\n## *Then*', '<p>$$\nx</p>\n<h2><em>Then</em></h2>\n'],
    ['\\[ x^2 \\]\n\nthen', '<p class="math-block">\\[ x^2 \\]</p>\n<p>then</p>\n'],
    [
      'it is $5 and $10, US$3 or 4$, $HOME/$USER, $5 and 6$ *now*',
      '<p>it is $5 and $10, US$3 or 4$, $HOME/$USER, $5 and 6$ <em>now</em></p>\n',
    ],
    ['$<img src=x>$', '<p><span class="math">$&lt;img src=x&gt;$</span></p>\n'],
    ['`$a$` \\$b\\$', '<p><code>$a$</code> $b$</p>\n'],
  ])('leaves math as written: %j', (text, expected) => expect(html(text)).toBe(expected));

  test('keeps the text of math, whatever it contains', () => {
    const inside = fc
      .array(
        fc.constantFrom('a', '_', '*', '\\alpha', '^', '{', '}', '&', '<b>', '[x](y)', '~~', '**', ' ', '1', '`'),
        { minLength: 1, maxLength: 20 },
      )
      .map((parts) => `x${parts.join('')}x`);
    const shown = (markup: string): string =>
      markup
        .replace(/<[^>]*>/g, '')
        .replace(/&lt;/g, '<')
        .replace(/&gt;/g, '>')
        .replace(/&amp;/g, '&')
        .trim();
    fc.assert(
      fc.property(
        inside,
        fc.constantFrom(['$', '$'], ['$$', '$$'], ['\\(', '\\)'], ['$$\n', '\n$$'], ['\\[\n', '\n\\]']),
        (math, [open, close]) => shown(html(`${open}${math}${close}`)) === `${open}${math}${close}`,
      ),
      { numRuns: 500 },
    );
  });

  test('shows a quote as written when the parser fails on it', () => {
    expect(html('- a\n  > 2. b\nc')).toContain('<blockquote>\n<p>&gt; 2. b\nc</p>\n</blockquote>');
  });

  test('raises the marks of footnotes, and begins each note on a line', () => {
    const mark = (text: string): string => `<span class="footnote">${text}</span>`;
    expect(html('a[^1] `[^1]`\n\n[^1]: note\n[^<b>]: other')).toBe(
      `<p>a${mark('1')} <code>[^1]</code></p>\n<p>${mark('1')}: note\n<br>${mark('&lt;b&gt;')}: other</p>\n`,
    );
  });

  test('reports the text after a code fence, and the target of a link as written', () => {
    expect(html('```ts title="a.ts"\n1\n```')).toBe(
      '<pre data-language="ts" data-info="ts title=&quot;a.ts&quot;" tabindex="0"><code>1</code></pre>\n',
    );
    expect(html('[a](https://exam\u200bple.com "t")')).toContain(
      'data-href="https://example.com" title="https://exam\u200bple.com\nt"',
    );
  });

  test('shows a very long word as it is, with the address at its end, the entities in it, and what is written after it', () => {
    const word = 'a+b/c_d&.'.repeat(1000);
    const [text, address] = [`${word}&lt;${word}`, `me@example.com`];
    const shown = html(`${text} **bold** ${'x'.repeat(500)}(${address}) ${'y_'.repeat(300)}![z](https://example.com)`);
    expect(shown).toBe(
      `<p>${word.replaceAll('&', '&amp;')}&lt;${word.replaceAll('&', '&amp;')} <strong>bold</strong> ` +
        `${'x'.repeat(500)}(` +
        `${html(address).slice(3, -5)}) ${'y_'.repeat(300)}${html('![z](https://example.com)').slice(3, -5)}</p>\n`,
    );
    expect(html(`${'x'.repeat(1000)}@`)).toBe(`<p>${'x'.repeat(1000)}@</p>\n`);
  });

  test('shows text that would take the parser too deep or too long as plain text', () => {
    const attacks = ['> '.repeat(5000) + 'deep', '[`*'.repeat(4000), `| ${'a |'.repeat(100_000)}`];
    expect(attacks.map((text) => html(text).startsWith('<pre'))).toEqual([true, true, true]);
  });
});

describe('allowed link targets', () => {
  test.each([
    ['https://example.com/a?b#c', 'web'],
    ['HTTP://EXAMPLE.COM', 'web'],
    ['mailto:me@example.com', 'web'],
    ['src/upload.ts', 'file'],
    ['upload.ts:10', 'file'],
    ['upload.ts:10:4', 'file'],
    ['./a b.md#L3', 'file'],
  ])('%s opens', (href, kind) => expect(safeLink(href)?.kind).toBe(kind));

  test.each([
    'javascript:alert(1)',
    'java\tscript:alert(1)',
    ' JavaScript:alert(1)',
    'java\u200bscript:alert(1)',
    'command:workbench.action.quit',
    'vscode://file/etc/passwd',
    'vscode-insiders:x',
    'data:text/html,<script>alert(1)</script>',
    'blob:x',
    'file:///etc/passwd',
    '//example.com/x',
    '\\\\host\\share',
    'https:example',
    'http://',
    '#top',
    '',
  ])('%j does not open', (href) => expect(safeLink(href)).toBeNull());
});
