import { describe, expect, test } from 'vitest';
import { textsOf } from '../../../../scripts/translations.mjs';
import { type PreviewAppearance, untilAtRest } from '../../../support/webviewPreview/browserPreview';
import { mainStates } from '../../../support/webviewPreview/mainStates';
import { usePreview } from '../../../support/webviewPreview/openPreview';
import { standsOutside } from '../../../support/webviewPreview/audit';

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
  /** Buttons, chips and their labels, in the order of the page. */
  readonly labels: readonly { readonly text: string; readonly isCut: boolean }[];
  /** What reaches beyond the panel. */
  readonly outside: readonly string[];
}

async function layout(state: string, code: string): Promise<Layout> {
  const { page } = await preview.open(state, appearanceIn(code));
  await untilAtRest(page);
  const found = await page.evaluate(() => ({
    lang: document.documentElement.lang,
    labels: [...document.querySelectorAll('button, button span, [role=combobox], [role=combobox] span')].map(
      (element) => ({
        text: (element.textContent ?? '').trim(),
        // A label of one pixel is only for screen readers. The line of facts ends where the room ends, and opens.
        isCut:
          element.getClientRects().length > 0 &&
          !element.matches('.turn-facts') &&
          element.clientWidth > 1 &&
          element.scrollWidth > element.clientWidth + 1,
      }),
    ),
  }));
  const outside = await standsOutside(page, 300);
  await preview.leave(page);
  return { ...found, outside };
}

describe('a panel of 300 pixels', { concurrent: true }, () => {
  test.each(mainStates.flatMap((state) => ['de', 'ja'].map((code) => [state, code] as const)))(
    'shows state %s in %s without cutting words off',
    async (state, code) => {
      const english = await layout(state, 'en');
      const { lang, labels, outside } = await layout(state, code);
      // Titles and names are the same in English, or are cut there too.
      const names = new Set(english.labels.map(({ text }) => text));
      const cut = labels.filter(
        ({ text, isCut }, index) => isCut && !names.has(text) && english.labels[index]?.isCut !== true,
      );
      expect({ lang, cut, outside }).toEqual({ lang: code, cut: [], outside: [] });
    },
  );
});
