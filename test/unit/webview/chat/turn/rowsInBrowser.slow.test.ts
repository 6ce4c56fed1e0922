import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { usePreview } from '../../../../support/webviewPreview/openPreview';

const preview = usePreview();

/** Left edge and width of everything on the line of a call, and on its buttons. */
const layout = (page: Page, tool: string): Promise<readonly string[]> =>
  page
    .getByRole('group', { name: tool })
    .first()
    .evaluate((row) =>
      [...row.querySelectorAll('.tool-head *')].map((element) => {
        const { left, top, width } = element.getBoundingClientRect();
        return `${element.className} ${Math.round(left)} ${Math.round(top)} ${Math.round(width)}`;
      }),
    );

/** The layout once the row is in view and the parts that load later are there: hovering scrolls to a hidden row. */
async function settledLayout(page: Page, tool: string): Promise<readonly string[]> {
  let last: readonly string[] = [];
  await expect
    .poll(
      async () => {
        await page.getByRole('group', { name: tool }).getByRole('button').first().scrollIntoViewIfNeeded();
        const before = last;
        last = await layout(page, tool);
        return before.length > 0 && before.join() === last.join();
      },
      { interval: 200 },
    )
    .toBe(true);
  return last;
}

describe('the line of a call', () => {
  test.each([300, 450])(
    'does not move when it is hovered at %i px, and shows the whole name of its file',
    async (width) => {
      const { page } = await preview.open('work-conflict', { width });
      await page.getByRole('button', { name: 'Review', exact: true }).first().waitFor();
      const tool = 'Tool: edit_file src/upload.ts';
      const before = await settledLayout(page, tool);
      await page.getByRole('group', { name: tool }).getByRole('button').first().hover();
      const after = await layout(page, tool);
      const isCut = await page
        .getByRole('group', { name: tool })
        .locator('.tool-file')
        .evaluate((name) => name.scrollWidth > name.clientWidth);
      await preview.leave(page);
      expect([after, isCut]).toEqual([before, false]);
    },
  );
});

describe('the actions of a step', () => {
  test('appear only at a text, and cover no button of a call', async () => {
    const { page } = await preview.open('work-conflict');
    await page.locator('.step-tools').first().waitFor({ state: 'attached' });
    const found = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll('.tool-head button')].map((button) => button.getBoundingClientRect());
      return [...document.querySelectorAll('.step-tools')].map((tools) => {
        const own = tools.getBoundingClientRect();
        const covers = boxes.some(
          (box) => box.left < own.right && box.right > own.left && box.top < own.bottom && box.bottom > own.top,
        );
        return [tools.closest('.message')?.querySelector('.answer-text') !== null, covers];
      });
    });
    await preview.leave(page);
    expect([found.length > 0, found.flat().filter((each, index) => each === (index % 2 === 1))]).toEqual([true, []]);
  });
});

describe('the line below a running turn', () => {
  test('fits on one line at 300 px, with the name of the model, the time and the steps', async () => {
    const { page } = await preview.open('work-rows', { width: 300 });
    const line = page.locator('.activity').filter({ hasText: 'step 52 of 90' });
    await line.waitFor();
    await page.getByText(/Waiting for qwen3:8b… \d+ s/).waitFor();
    const { height } = (await line.boundingBox()) ?? { height: 0 };
    await preview.leave(page);
    expect(height).toBeLessThan(24);
  });
});

describe('a high-contrast theme', () => {
  test('tells the recommended button of a card from the others', async () => {
    const { page } = await preview.open('approval-risk', { theme: 'contrast' });
    await page.getByRole('button', { name: 'Deny', exact: true }).waitFor();
    const frames = await page
      .getByRole('alertdialog')
      .locator('.card-actions button')
      .evaluateAll((buttons) =>
        buttons.map((button) => [button.textContent, getComputedStyle(button).boxShadow !== 'none']),
      );
    await preview.leave(page);
    expect(frames).toEqual([
      ['Allow Once', false],
      ['Deny', true],
      ['', false],
    ]);
  });
});

describe('the foot of the composer', () => {
  test('keeps its mode in place when a turn begins and ends, and offers Queue once something is typed', async () => {
    const mode = (page: Page): Promise<readonly number[]> =>
      page.getByRole('combobox', { name: 'Mode', exact: true }).evaluate((button) => {
        const { left, width } = button.getBoundingClientRect();
        return [Math.round(left), Math.round(width)];
      });
    const seen: (readonly number[])[] = [];
    const idle = await preview.open('composer-idle', { width: 450 });
    await idle.page.getByRole('combobox', { name: 'Effort' }).waitFor();
    seen.push(await mode(idle.page));
    await preview.leave(idle.page);
    const { page } = await preview.open('composer-busy', { width: 450 });
    await page.getByRole('combobox', { name: 'Effort' }).waitFor();
    const queue = page.getByRole('button', { name: 'Queue', exact: true });
    seen.push(await mode(page));
    const before = await queue.count();
    await page.getByRole('textbox', { name: 'Message' }).fill('And then?');
    await queue.waitFor();
    seen.push(await mode(page));
    await preview.leave(page);
    expect([seen.map(String), before]).toEqual([Array.from({ length: 3 }, () => String(seen[0])), 0]);
  });
});
