// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { addCodeToolbar } from '../../../../src/webview/markdown/codeToolbar';

function drawn(text: string): { readonly pre: HTMLPreElement; readonly wrap: HTMLButtonElement } {
  const block = document.createElement('div');
  block.className = 'code-block';
  block.innerHTML = '<div class="code-head"></div><pre></pre>';
  const pre = block.querySelector('pre');
  if (pre === null) throw new Error('There is no code');
  pre.textContent = text;
  addCodeToolbar(pre, { openLink: () => undefined, copy: () => undefined });
  const wrap = block.querySelector<HTMLButtonElement>('[aria-label="Wrap Lines"]');
  if (wrap === null) throw new Error('There is no button');
  return { pre, wrap };
}

const isWrapped = ({ pre, wrap }: ReturnType<typeof drawn>): readonly unknown[] => [
  pre.classList.contains('wrapped'),
  wrap.getAttribute('aria-pressed'),
];

test('code whose lines were wrapped is wrapped again at the next render, and other code is not', () => {
  const first = drawn('a long line');
  const before = isWrapped(first);
  first.wrap.click();
  const [again, other] = [drawn('a long line'), drawn('another line')];
  expect([before, isWrapped(first), isWrapped(again), isWrapped(other)]).toEqual([
    [false, 'false'],
    [true, 'true'],
    [true, 'true'],
    [false, 'false'],
  ]);
  again.wrap.click();
  expect(isWrapped(drawn('a long line'))).toEqual([false, 'false']);
});
