import type { Locator } from 'playwright-core';
import { waitFor } from './processes';

/** Writes into a field, in place of what is there, and makes sure that it is there. Playwright hands a text to whatever has the focus, and a window
 *  that has just closed its palette, or opened a view, may give that away in the middle. */
export async function write(field: Locator, text: string): Promise<void> {
  let last = '';
  const isThere = async (): Promise<boolean> => {
    // To make a field empty, Playwright presses Delete: elsewhere that deletes something else.
    if (text === '') await field.evaluate(clear);
    else await field.fill(text);
    last = await field.inputValue();
    return last === text;
  };
  await waitFor(`"${text}" in the field`, isThere, { seen: () => last });
}

function clear(element: Element): void {
  if (!('value' in element)) throw new Error('Nothing can be written here');
  element.value = '';
  element.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
