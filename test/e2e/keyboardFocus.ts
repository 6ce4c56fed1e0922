import type { FrameLocator } from 'playwright-core';
import { waitFor } from '../support/vscode';

/** Where the keyboard is in a webview, as it would be read out. */
export interface Focus {
  readonly role: string;
  readonly name: string;
  /** Whether it can be seen: something about its edges differs from the same element without the focus. */
  readonly ring: boolean;
  /** Whether keys go to this webview at all. */
  readonly inView: boolean;
}

/** Where the focus is in a webview. */
export function focusIn(frame: FrameLocator): Promise<Focus> {
  return frame.locator('body').evaluate((body): Focus => {
    const document = body.ownerDocument;
    const focused = document.activeElement ?? body;
    const implied: Readonly<Record<string, string>> = {
      BUTTON: 'button',
      A: 'link',
      TEXTAREA: 'textbox',
      INPUT: 'textbox',
      SELECT: 'combobox',
      ARTICLE: 'article',
      BODY: 'nothing',
    };
    const edges = (element: Element): string => {
      const { outlineStyle, outlineWidth, outlineColor, borderTopColor, borderTopWidth, boxShadow } =
        getComputedStyle(element);
      const outline =
        outlineStyle === 'none' || outlineWidth === '0px' ? '' : `${outlineStyle} ${outlineWidth} ${outlineColor}`;
      return [outline, `${borderTopWidth} ${borderTopColor}`, boxShadow].join(' | ');
    };
    // The same element without the focus stands beside it for as long as it takes to look: nothing is painted meanwhile.
    const differs = (element: Element): boolean => {
      const twin = element.cloneNode(false);
      if (!(twin instanceof Element)) return false;
      element.after(twin);
      const same = edges(twin) === edges(element);
      twin.remove();
      return !same;
    };
    const around = [focused, focused.parentElement, focused.parentElement?.parentElement ?? null].filter(
      (element) => element !== null && element !== body && element !== document.documentElement,
    );
    return {
      role: focused.getAttribute('role') ?? implied[focused.tagName] ?? focused.tagName.toLowerCase(),
      name: (focused.getAttribute('aria-label') ?? focused.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 120),
      ring: around.some((element) => element !== null && differs(element)),
      inView: document.hasFocus(),
    };
  });
}

/** Waits for the focus to be where a person expects it, in sight. */
export async function expectFocus(frame: FrameLocator, role: string, name: string | RegExp): Promise<void> {
  let last: Focus | null = null;
  await waitFor(
    `the focus on ${role} ${String(name)}`,
    async () => isOn((last = await focusIn(frame)), role, name) && last.ring && last.inView,
    { seen: () => last },
  );
}

/** Presses a key until the focus is there; the way is told where it is not. Every stop on it can be seen. */
export async function walkTo(
  frame: FrameLocator,
  press: () => Promise<void>,
  role: string,
  name: string | RegExp,
  most = 60,
): Promise<void> {
  const way: string[] = [];
  let focus = await focusIn(frame);
  for (let steps = 0; steps < most; steps++) {
    await press();
    focus = await nextFocus(frame, focus);
    way.push(`${focus.role} “${focus.name}”${focus.ring ? '' : ' (cannot be seen)'}`);
    if (!focus.inView) break;
    if (!focus.ring) throw new Error(`The focus cannot be seen: ${way.join(', ')}`);
    if (isOn(focus, role, name)) return;
  }
  throw new Error(`The focus did not come to ${role} ${String(name)}: ${way.join(', ')}`);
}

/** Where the focus goes behind a key, as soon as it is elsewhere and in sight: a view may draw before it moves the focus. A key that does not
 *  move it takes this many looks to be known as one. */
async function nextFocus(frame: FrameLocator, before: Focus): Promise<Focus> {
  let focus = await focusIn(frame);
  const isThere = (): boolean => focus.ring && focus.inView && JSON.stringify(focus) !== JSON.stringify(before);
  for (let looks = 0; looks < 200 && !isThere(); looks++) focus = await focusIn(frame);
  return focus;
}

function isOn(focus: Focus, role: string, name: string | RegExp): boolean {
  return focus.role === role && (typeof name === 'string' ? focus.name === name : name.test(focus.name));
}
