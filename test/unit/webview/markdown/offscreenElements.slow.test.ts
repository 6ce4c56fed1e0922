import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { protocolVersion } from '../../../../src/protocol/envelope';
import { session } from '../../../support/builders/viewMessages';
import { BrowserPreview, untilAtRest } from '../../../support/webviewPreview/browserPreview';

let preview: BrowserPreview;
beforeAll(async () => {
  preview = await BrowserPreview.start({}, 'chat');
}, 120_000);
afterAll(() => preview.close());

const kinds = [
  '## A heading',
  'A paragraph of words that wraps in a narrow view, as most of them do, and goes on.',
  '- one\n- two\n- three',
  '```ts\nconst a = 1;\n```',
  '> said',
];
const answer = Array.from({ length: 240 }, (_, index) => kinds[index % kinds.length]).join('\n\n');

async function stream(page: Page): Promise<void> {
  for (let start = 0, seq = 1; start < answer.length; start += 400, seq++) {
    const chunks = [{ messageUid: 'b10', seq, part: 0, kind: 'text', start, text: answer.slice(start, start + 400) }];
    const message = {
      v: protocolVersion,
      kind: 'notification',
      name: 'turnEvent',
      payload: { sessionId: session().id, event: { kind: 'delivered', turnUid: 'turn2', chunks } },
    };
    await page.evaluate((sent) => window.postMessage(JSON.parse(sent), '*'), JSON.stringify(message));
  }
  await page.locator('.markdown-run').nth(9).waitFor({ state: 'attached' });
}

/** How many elements rest, how many of these are near what is seen, and by how many pixels the conversation is higher where none does. */
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
  await stream(page);
  const found = [await offscreen(page)];
  await page.locator('.scroller').hover();
  await page.mouse.wheel(0, -3000);
  found.push(await offscreen(page));
  await page.setViewportSize({ width: 300, height: 500 });
  found.push(await offscreen(page));
  await page.close();
  expect(found).toEqual([0, 1, 2].map(() => ({ some: true, near: 0, higher: 0 })));
});
