// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { colourCode, loadHighlighting } from '../../../../src/webview/markdown/codeColours';

vi.mock('../../../../src/webview/markdown/sanitizer', () => import('../../../support/plainSanitizer'));

test('yields between slices also when many blocks waited for the grammars', async () => {
  vi.useFakeTimers();
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 5));
  document.body.innerHTML = '<div><pre data-language="ts"><code>const a = 1;</code></pre></div>'.repeat(5);
  const coloured = (): number =>
    [...document.querySelectorAll('pre')].filter((pre) => pre.querySelector('[class^=hljs-]') !== null).length;
  for (const block of document.querySelectorAll('div')) colourCode([block]);
  await loadHighlighting();
  await Promise.resolve();
  const atOnce = coloured();
  vi.runAllTimers();
  vi.useRealTimers();

  expect({ atOnce, rested: coloured() }).toEqual({ atOnce: 0, rested: 5 });
});
