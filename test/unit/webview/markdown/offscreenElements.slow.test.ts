import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { untilAtRest } from '../../../support/webviewPreview/browserPreview';
import { stream, usePreview } from '../../../support/webviewPreview/openPreview';

const preview = usePreview({}, 'chat');

const kinds = [
  '## A heading',
  'A paragraph of words that wraps in a narrow view, as most of them do, and goes on.',
  '- one\n- two\n- three',
  '```ts\nconst a = 1;\n```',
  '> said',
];
const answer = Array.from({ length: 240 }, (_, index) => kinds[index % kinds.length]).join('\n\n');

/** How many elements rest, how many of these are near what is seen, and by how many pixels the conversation is
 *  higher where none does. */
async function offscreen(
  page: Page,
): Promise<{ readonly some: boolean; readonly near: number; readonly higher: number }> {
  await untilAtRest(page);
  return page.evaluate(() => {
    const scroller = document.querySelector('.scroller');
    const rest = [...document.querySelectorAll('.offscreen')];
    const near = rest
      .map((element) => element.getBoundingClientRect())
      .filter(({ top, bottom }) => bottom > -innerHeight && top < 2 * innerHeight).length;
    const height = scroller?.scrollHeight ?? 0;
    for (const element of rest) element.classList.remove('offscreen');
    const whole = scroller?.scrollHeight ?? 0;
    for (const element of rest) element.classList.add('offscreen');
    return { some: rest.length > 3, near, higher: whole - height };
  });
}

test('content far out of view rests, keeping its height, also at another width; content nearby does not', async () => {
  const { page } = await preview.open('streaming', { height: 500 });
  await stream(page, answer, 400);
  await page.locator('.markdown-run').nth(9).waitFor({ state: 'attached' });
  const found = [await offscreen(page)];
  await page.locator('.scroller').hover();
  await page.mouse.wheel(0, -3000);
  found.push(await offscreen(page));
  await page.setViewportSize({ width: 300, height: 500 });
  found.push(await offscreen(page));
  await page.close();
  expect(found).toEqual([0, 1, 2].map(() => ({ some: true, near: 0, higher: 0 })));
});
