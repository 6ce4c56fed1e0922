import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { usePreview } from '../../../support/webviewPreview/openPreview';
import { states } from '../../../support/webviewPreview/states';

const preview = usePreview();

/** States with cards, ends of turns, work, and surroundings of the composer. */
const withControls = Object.keys(states).filter((name) =>
  /^(?:approval|turn|plug-lost|work|diagram|math|composer-(?:file|selection)|context|header-long|empty-(?:no-model|chosen))/.test(
    name,
  ),
);

/** Focus stops of a page at most. */
const mostStops = 120;

interface Walk {
  /** Names of the controls in view that were not reached. */
  readonly missed: readonly string[];
  /** Names of the elements whose focus cannot be seen. */
  readonly unseen: readonly string[];
}

/** Presses Tab from the beginning of the page to its end and, for controls that appear only then, back and forth; and
 *  the arrow keys in each toolbar. */
async function walk(page: Page): Promise<Walk> {
  const unseen = new Set<string>();
  await page.evaluate(() => {
    for (const element of document.querySelectorAll('[data-reached]')) element.removeAttribute('data-reached');
    const start = document.createElement('i');
    start.tabIndex = -1;
    document.body.prepend(start);
    start.focus();
  });
  let missed: readonly string[] = [];
  for (const key of ['Tab', 'Shift+Tab', 'Tab']) {
    for (let stops = 0; stops < mostStops; stops++) {
      await page.keyboard.press(key);
      const { name, isSeen, others } = await reached(page);
      if (!isSeen) unseen.add(name);
      // After the last control the focus leaves the page.
      if (name === 'body') break;
      for (let pressed = 0; pressed < others; pressed++) {
        await page.keyboard.press('ArrowRight');
        const inToolbar = await reached(page);
        if (!inToolbar.isSeen) unseen.add(inToolbar.name);
      }
    }
    missed = await missedBy(page);
    if (missed.length === 0) break;
  }
  return { missed, unseen: [...unseen] };
}

/** What has the focus; `others`: the other buttons of its toolbar, unless they were reached before. */
function reached(page: Page): Promise<{ readonly name: string; readonly isSeen: boolean; readonly others: number }> {
  return page.evaluate(() => {
    let element = document.activeElement ?? document.body;
    for (let inner: Element | null = element; inner !== null; inner = inner.shadowRoot?.activeElement ?? null)
      element = inner;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const composer = element.matches('textarea') ? element.closest('.composer') : null;
    // The frame of the composer is the ring of its field.
    const isFramed =
      composer !== null &&
      getComputedStyle(composer).borderTopColor !==
        getComputedStyle(document.querySelector('.prompt') ?? document.body).borderTopColor;
    const toolbar = element.closest('[role=toolbar]');
    const isNew = toolbar?.hasAttribute('data-reached') === false;
    toolbar?.setAttribute('data-reached', '');
    element.setAttribute('data-reached', '');
    return {
      name:
        element === document.body
          ? 'body'
          : `${element.localName} ${element.getAttribute('aria-label') ?? element.textContent?.slice(0, 60) ?? ''}`,
      isSeen:
        element === document.body || (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) || isFramed,
      others: isNew ? (toolbar?.querySelectorAll('button').length ?? 1) - 1 : 0,
    };
  });
}

function missedBy(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, input, textarea, select')]
      .filter((element) => !element.matches(':disabled, [data-reached]') && element.checkVisibility())
      // Of a group of radio buttons Tab reaches the chosen one; an attachment is removed with Delete. What is hidden
      // from screen readers is a shortcut for the mouse.
      .filter((element) => !element.matches('[type=radio]:not(:checked), .chip-remove, [aria-hidden=true]'))
      .map((element) => `${element.localName} ${element.getAttribute('aria-label') ?? element.textContent ?? ''}`),
  );
}

describe('by keyboard alone', { concurrent: true }, () => {
  test.each(withControls)(
    'every control of state %s is reached, and its focus is seen',

    async (name) => {
      const { page } = await preview.open(name, { width: 300 });
      // Again where the page was still drawn meanwhile.
      let found = await walk(page);
      for (let again = 0; again < 9 && found.missed.length + found.unseen.length > 0; again++) found = await walk(page);
      expect(found).toEqual({ missed: [], unseen: [] });
      await preview.leave(page);
    },
  );

  test.each(['composer-all-commands', 'attach-mentions', 'picker', 'composer-effort', 'composer-mode'])(
    'the arrow keys walk the list of state %s, and Escape returns to the composer or the opener',

    async (name) => {
      const { page } = await preview.open(name, { width: 300 });
      const list = page.getByRole('listbox');
      await list.waitFor();
      const active = (): Promise<string | null> => list.locator('[aria-selected=true]').first().textContent();
      const seen = [await active()];
      for (let pressed = 0; pressed < 2; pressed++) {
        await page.keyboard.press(name.startsWith('composer-') && !name.includes('commands') ? 'ArrowUp' : 'ArrowDown');
        await page.waitForFunction(
          (last) => document.querySelector('[role=listbox] [aria-selected=true]')?.textContent !== last,
          seen.at(-1),
        );
        seen.push(await active());
      }
      const isInView = await list
        .locator('[aria-selected=true]')
        .first()
        .evaluate((option) => {
          const [own, around] = [option, option.closest('[role=listbox]') ?? option].map((each) =>
            each.getBoundingClientRect(),
          );
          return (
            own !== undefined && around !== undefined && own.top >= around.top - 1 && own.bottom <= around.bottom + 1
          );
        });
      await page.keyboard.press('Escape');
      await list.waitFor({ state: 'detached' });
      const focus = await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? 'nothing');
      await preview.leave(page);
      expect([new Set(seen).size, isInView, focus === 'nothing']).toEqual([3, true, false]);
    },
  );
});
