import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { untilAtRest } from '../../../../support/webviewPreview/browserPreview';
import { usePreview } from '../../../../support/webviewPreview/openPreview';

const preview = usePreview();

const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });

/** Whether all of it is in sight. */
const isWhole = (page: Page, selector: string): Promise<boolean> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight && right > left;
    });

describe('the composer in a narrow panel', () => {
  test.each([260, 300, 320])(
    'shows its pickers completely at %i px, and its footer on one line beside Stop and Queue',
    async (width) => {
      const seen: boolean[] = [];
      for (const state of ['composer-mode', 'composer-effort']) {
        const { page } = await preview.open(state, { width });
        await page.getByRole('listbox').waitFor();
        seen.push(await isWhole(page, '[role=listbox]'));
        await preview.leave(page);
      }
      const { page } = await preview.open('composer-busy', { width });
      await page.getByRole('combobox', { name: 'Effort' }).waitFor();
      await page.getByRole('button', { name: /^Context/ }).waitFor();
      const tops = await page
        .locator('.composer-bar button')
        .evaluateAll((buttons) =>
          buttons.map((button) =>
            Math.round((button.getBoundingClientRect().top + button.getBoundingClientRect().bottom) / 2),
          ),
        );
      const whole = await isWhole(page, '.composer-bar');
      const stop = await page.getByRole('button', { name: 'Stop', exact: true }).count();
      await preview.leave(page);
      expect({ seen, whole, lines: Math.max(...tops) - Math.min(...tops) < 4, stop }).toEqual({
        seen: [true, true],
        whole: true,
        lines: true,
        stop: 1,
      });
    },
  );
});

describe('a long prompt', () => {
  test('grows to two fifths of the view, then scrolls, and an empty one is one line', async () => {
    const long = await preview.open('composer-long', { height: 800 });
    await untilAtRest(long.page);
    const grown = await field(long.page).evaluate((element) => [
      element.clientHeight <= 0.41 * window.innerHeight,
      element.scrollHeight > element.clientHeight,
    ]);
    await preview.leave(long.page);
    const empty = await preview.open('composer-idle', { width: 300 });
    const height = await field(empty.page).evaluate((element) => element.clientHeight);
    await preview.leave(empty.page);
    expect([grown, height < 40]).toEqual([[true, true], true]);
  });
});
