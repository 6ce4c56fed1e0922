import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { textsOf } from '../../../../scripts/translations.mjs';
import { type PreviewAppearance, untilAtRest } from '../../../support/webviewPreview/browserPreview';
import { mainStates } from '../../../support/webviewPreview/mainStates';
import { usePreview } from '../../../support/webviewPreview/openPreview';

const preview = usePreview();

function appearanceIn(code: string): PreviewAppearance {
  const localization = code === 'en' ? {} : textsOf(code).code;
  return {
    width: 300,
    language: { code, localization, named: (english) => new RegExp(localization[english] ?? english) },
  };
}

interface Layout {
  readonly lang: string;
  /** Pixels that the page can be scrolled sideways. */
  readonly sideways: number;
  /** Buttons, chips and their labels, in the order of the page. */
  readonly labels: readonly { readonly text: string; readonly isCut: boolean }[];
  /** Texts that reach beyond the panel. */
  readonly outside: readonly string[];
}

function layoutOf(page: Page): Promise<Layout> {
  return page.evaluate(() => {
    const root = document.documentElement;
    const visible = (element: Element): boolean => element.getClientRects().length > 0;
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      (/auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const text = (element: Element): string => (element.textContent ?? '').trim();
    return {
      lang: root.lang,
      sideways: root.scrollWidth - root.clientWidth,
      labels: [...document.querySelectorAll('button, button span, [role=combobox], [role=combobox] span')].map(
        (element) => ({
          text: text(element),
          // A label of one pixel is only for screen readers. The line of facts ends where the room ends, and opens.
          isCut:
            visible(element) &&
            !element.matches('.turn-facts') &&
            element.clientWidth > 1 &&
            element.scrollWidth > element.clientWidth + 1,
        }),
      ),
      outside: [...document.querySelectorAll('button, p, h1, h2, li, label, textarea, [role=combobox]')]
        .filter(
          (element) =>
            visible(element) &&
            element.getBoundingClientRect().right > root.clientWidth + 1 &&
            !scrolls(element.parentElement),
        )
        .map(text),
    };
  });
}

async function layout(state: string, code: string): Promise<Layout> {
  const { page } = await preview.open(state, appearanceIn(code));
  await untilAtRest(page);
  const found = await layoutOf(page);
  await preview.leave(page);
  return found;
}

describe('a panel of 300 pixels', { concurrent: true }, () => {
  test.each(mainStates.flatMap((state) => ['de', 'ja'].map((code) => [state, code] as const)))(
    'shows state %s in %s without cutting words off',
    async (state, code) => {
      const english = await layout(state, 'en');
      const { lang, sideways, labels, outside } = await layout(state, code);
      // Titles and names are the same in English, or are cut there too.
      const names = new Set(english.labels.map(({ text }) => text));
      const cut = labels.filter(
        ({ text, isCut }, index) => isCut && !names.has(text) && english.labels[index]?.isCut !== true,
      );
      expect({ lang, sideways, cut, outside }).toEqual({ lang: code, sideways: 0, cut: [], outside: [] });
    },
  );
});
