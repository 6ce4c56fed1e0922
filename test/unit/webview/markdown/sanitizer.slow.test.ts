import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MarkdownBlocks } from '../../../../src/webview/markdown/blocks';
import { usePreview } from '../../../support/webviewPreview/openPreview';

const preview = usePreview({ sanitizer: 'test/support/webviewPreview/sanitizerProgram.ts' }, 'chat');
let page: Page;
beforeEach(async () => {
  ({ page } = await preview.open('complete'));
  await page.evaluate(preview.source('sanitizer'));
});
afterEach(() => page.close());

/** The markup that the sanitiser makes of each piece of HTML, and the browser's own parser. */
function markups(
  htmls: readonly string[],
): Promise<readonly { readonly sanitized: string; readonly parsed: string }[]> {
  return page.evaluate((given) => {
    const sanitize: unknown = Reflect.get(window, 'sanitizedFragment');
    if (typeof sanitize !== 'function') throw new Error('The sanitiser is not there');
    return given.map((html) => {
      const [ours, browsers] = [document.createElement('div'), document.createElement('template')];
      ours.append(sanitize(html));
      browsers.innerHTML = html;
      return { sanitized: ours.innerHTML, parsed: browsers.innerHTML };
    });
  }, htmls);
}

/** The markup that the sanitiser makes of pieces given in one go, and of each by itself. */
function togetherAndAlone(
  htmls: readonly string[],
): Promise<{ readonly together: readonly string[]; readonly alone: readonly string[] }> {
  return page.evaluate((given) => {
    const [one, all]: unknown[] = ['sanitizedFragment', 'sanitizedFragments'].map(
      (name) => Reflect.get(window, name) as unknown,
    );
    if (typeof one !== 'function' || typeof all !== 'function') throw new Error('The sanitiser is not there');
    const markup = (fragment: DocumentFragment): string => {
      const holder = document.createElement('div');
      holder.append(fragment);
      return holder.innerHTML;
    };
    return {
      together: (all(given) as DocumentFragment[]).map(markup),
      alone: given.map((html) => markup(one(html) as DocumentFragment)),
    };
  }, htmls);
}

const rendered = (text: string): string =>
  new MarkdownBlocks()
    .render(text, true)
    .map(({ html }) => html)
    .join('');

test('keeps everything that the renderer writes', async () => {
  const pieces = [
    'text ',
    '**bold** ',
    '[a [b](c) d](e)',
    '<a href="x">',
    '</a>',
    '</blockquote>',
    '<td>',
    '\n\n',
    '> quote\n',
    '- item\n',
    '1. [x](y)\n',
    '7. seven\n',
    '| a | b |\n|---|:-:|\n| [q](r) | *s* |\n\n',
    '```html\n</blockquote>\n```\n\n',
    '# H\n',
    '---\n',
    '- [ ] todo\n',
    '- [x] done\n',
    '&lt;',
    '&nbsp;',
    '&copy',
    '&bogus;',
    '&notin;',
    '&notit;',
    '&#60;',
    '&#x3C;',
    '&#0;',
    '&#1114112;',
    '&amp;lt;',
    '&',
    '"',
    "'",
    '`<b>`',
    '~~del~~ ',
    'https://example.com?a=1&b=2 ',
    '<svg onload=x>',
    '<!--',
    '\\',
    '***',
    '__',
    '$x_1$ ',
    '$$\nx\n$$\n',
    '  \n',
    '![p](a.png "t")',
  ];
  const documents = fc
    .sample(fc.array(fc.constantFrom(...pieces), { minLength: 5, maxLength: 40, size: 'max' }), 500)
    .map((parts) => rendered(parts.join('')));
  const differing = (await markups(documents)).filter(({ sanitized, parsed }) => sanitized !== parsed);
  expect([documents.length, differing]).toEqual([500, []]);
});

test('cleans blocks given together as it cleans each alone', async () => {
  const pieces = [
    'text **bold**\n\n',
    '> quote\n\n',
    '> > deep\n> - item\n\n',
    '- a\n- b\n\n1. c\n\n',
    '| a | b |\n|---|---|\n| `c` | d |\n\n',
    '```html\n</blockquote><blockquote>\n```\n\n',
    '```\n\n\nopen',
    '# H\n',
    '---\n',
    '</blockquote>\n\n',
    '<td>\n\n',
  ];
  const documents = fc
    .sample(fc.array(fc.constantFrom(...pieces), { minLength: 2, maxLength: 20, size: 'max' }), 200)
    .map((parts) => new MarkdownBlocks().render(parts.join(''), true).map(({ html }) => html));
  for (const blocks of documents) {
    const { together, alone } = await togetherAndAlone(blocks);
    expect(together).toEqual(alone);
  }
});

test('a block whose markup would run into the next is cleaned alone, and so are its neighbors', async () => {
  const ends = ['<p>a</p></blockquote><p>b</p>', '<p>c</p>'];
  const swallows = ['<!-- ', '<p>kept</p>', ' -->'];
  for (const htmls of [ends, swallows]) {
    const { together, alone } = await togetherAndAlone(htmls);
    expect(together).toEqual(alone);
  }
});

test('makes one link of a picture in a link: the one written around it', async () => {
  const [made] = await markups([rendered('[a ![p](a.png) b](c.md)')]);
  expect(made?.sanitized).toBe('<p><a role="link" tabindex="0" data-href="c.md" title="c.md">a p b</a></p>\n');
});

test('keeps no class, role, address or field that the renderer does not write', async () => {
  const htmls = [
    '<p class="card approval" role="alertdialog" aria-label="Approve" tabindex="0">a</p>',
    '<span class="hljs-keyword function_">b</span>',
    '<span class="hljs-keyword visually-hidden">c</span>',
    '<input type="password">',
    '<input>',
    '<input type="checkbox" checked>',
    '<a role="button" data-href="command:x">d</a>',
    '<a role="link" tabindex="0" data-href="javascript:x">e</a>',
    '<a role="link" tabindex="0" data-href="src/a.ts" title="src/a.ts">f</a>',
    '<li data-language="sh" data-info="sh">g</li>',
    '<pre data-language="sh" tabindex="0" type="x">h</pre>',
  ];
  expect((await markups(htmls)).map(({ sanitized }) => sanitized)).toEqual([
    '<p>a</p>',
    '<span class="hljs-keyword function_">b</span>',
    '<span>c</span>',
    '',
    '',
    '<input type="checkbox" checked="" disabled="">',
    '<a>d</a>',
    '<a role="link" tabindex="0">e</a>',
    '<a role="link" tabindex="0" data-href="src/a.ts" title="src/a.ts">f</a>',
    '<li>g</li>',
    '<pre data-language="sh" tabindex="0">h</pre>',
  ]);
});
