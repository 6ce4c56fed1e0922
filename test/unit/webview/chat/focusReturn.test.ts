// @vitest-environment happy-dom
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { returnFocus } from '../../../../src/webview/focusReturn';

beforeAll(() => {
  returnFocus(() => document.getElementById('instead')?.focus());
});
beforeEach(() => {
  document.body.innerHTML = '<button id="last"></button><input id="instead">';
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** The page loses the focus from `last` to the editor around it, and its window is told later that it has it. */
function comeBack(hasFocus: boolean): string | undefined {
  const last = document.getElementById('last');
  last?.focus();
  last?.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
  last?.blur();
  vi.spyOn(document, 'hasFocus').mockReturnValue(hasFocus);
  const told = new FocusEvent('focus');
  // happy-dom's window is another object than the one its events name.
  Object.defineProperty(told, 'target', { value: window });
  window.dispatchEvent(told);
  return document.activeElement?.id;
}

test('the element that had the focus has it again when the page returns', () => {
  expect(comeBack(true)).toBe('last');
});

test('a page that returns after the editor already has the keys leaves them there', () => {
  expect(comeBack(false)).toBe('');
});
