import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MarkdownBlocks } from '../../../src/webview/markdown/blocks';
import { linkTarget } from '../../../src/webview/markdown/links';

const html = (text: string): string => new MarkdownBlocks().render(text, true).map((block) => block.html).join('');

/** Names of the elements in a piece of HTML. */
function elements(markup: string): readonly string[] {
  return [...new Set([...markup.matchAll(/<([a-z][a-z0-9]*)/gi)].map((match) => match[1] ?? ''))].sort();
}

describe('Markdown of an answer', () => {
  test('shows raw HTML as the text it is', () => {
    expect(html('a <img src=x onerror=alert(1)> b\n\n<script>alert(1)</script>')).toBe(
      '<p>a &lt;img src=x onerror=alert(1)&gt; b</p>\n&lt;script&gt;alert(1)&lt;/script&gt;',
    );
  });

  test('makes no element that Markdown does not have, whatever is written', () => {
    const hostile = fc.constantFrom('<svg onload=x>', '<style>', '</p>', '<a href="javascript:x">', '"', "'", '`', '![a](', '[b](', 'javascript:x)', '<!--', ']]>', '&lt;', '&#60;', '\u0000', '\n\n', '> ', '- ', '|', '```html\n');
    const known = new Set(['a', 'blockquote', 'br', 'code', 'del', 'em', 'h1', 'h2', 'hr', 'input', 'li', 'ol', 'p', 'pre', 'span', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul']);
    fc.assert(fc.property(fc.array(hostile, { maxLength: 30, size: 'max' }), (pieces) => elements(html(pieces.join(''))).filter((name) => !known.has(name)).length === 0), { numRuns: 500 });
  });

  test('gives a link no address that the page itself could follow', () => {
    expect(html('[file](src/a.ts#L3) <https://example.com> ![picture](https://example.com/p.png)')).toBe(
      '<p><a role="link" tabindex="0" data-href="src/a.ts#L3" title="src/a.ts#L3">file</a> ' +
        '<a role="link" tabindex="0" data-href="https://example.com" title="https://example.com">https://example.com</a> ' +
        '<a role="link" tabindex="0" data-href="https://example.com/p.png" title="https://example.com/p.png">picture</a></p>\n',
    );
  });

  test('shows what would take the parser too deep or too long as plain text', () => {
    const attacks = ['> '.repeat(5000) + 'deep', '[`*'.repeat(4000), `| ${'a |'.repeat(100_000)}`];
    expect(attacks.map((text) => html(text).startsWith('<pre'))).toEqual([true, true, true]);
  });
});

describe('where a link may lead', () => {
  test.each([
    ['https://example.com/a?b#c', 'web'],
    ['HTTP://EXAMPLE.COM', 'web'],
    ['mailto:me@example.com', 'web'],
    ['src/upload.ts', 'file'],
    ['upload.ts:10', 'file'],
    ['upload.ts:10:4', 'file'],
    ['./a b.md#L3', 'file'],
  ])('%s opens', (href, kind) => expect(linkTarget(href)?.kind).toBe(kind));

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
  ])('%j does not', (href) => expect(linkTarget(href)).toBeNull());
});
