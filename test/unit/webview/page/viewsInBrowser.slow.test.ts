import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { untilAtRest } from '../../../support/webviewPreview/browserPreview';
import { posted, stream, tell, usePreview } from '../../../support/webviewPreview/openPreview';

const preview = usePreview();

const distanceFromEnd = (page: Page): Promise<number> =>
  page
    .locator('.scroller')
    .evaluate((element) => Math.round(element.scrollHeight - element.clientHeight - element.scrollTop));

/** The first article in sight, and where it is. */
const place = (page: Page): Promise<{ uid: string; top: number }> =>
  page.locator('.scroller').evaluate((element) => {
    const edge = element.getBoundingClientRect().top;
    const seen = [...element.querySelectorAll<HTMLElement>('article[data-uid]')].find(
      (article) => article.getBoundingClientRect().bottom > edge,
    );
    return { uid: seen?.dataset['uid'] ?? '', top: Math.round((seen?.getBoundingClientRect().top ?? 0) - edge) };
  });

/** The long session once all that the host has told is drawn: the last turns come first, those above right behind
 *  the painting. */
async function openLong(): Promise<Page> {
  const { page } = await preview.open('long', { height: 600 });
  await allDrawn(page);
  return page;
}

async function allDrawn(page: Page): Promise<void> {
  await page.locator('article[data-uid="lu0"]').waitFor({ state: 'attached' });
}

describe('links', () => {
  test('are opened by the host, never followed by the page', async () => {
    const { page } = await preview.open('complete');
    const link = page.getByRole('link', { name: 'src/upload.ts:42' });
    await link.click();
    await link.click({ button: 'middle' });
    await link.focus();
    await page.keyboard.press('Enter');
    const [opened, at] = [(await posted(page, 'openLink')).map(([, payload]) => payload), new URL(page.url()).pathname];
    await preview.leave(page);
    expect([opened, at]).toEqual([[{ href: 'src/upload.ts:42' }, { href: 'src/upload.ts:42' }], '/view/chat']);
  });
});

describe('scrolling', () => {
  test('follows the text at the end, leaves the reader alone elsewhere, and returns at the press of a button', async () => {
    const { page } = await preview.open('streaming', { height: 500 });
    await stream(page, 'Line of text.\n\n'.repeat(30), 60);
    await untilAtRest(page);
    const following = await distanceFromEnd(page);
    await page.locator('.scroller').hover();
    await page.mouse.wheel(0, -600);
    await untilAtRest(page);
    const before = await place(page);
    await stream(page, 'More of it.\n\n'.repeat(20), 60, 'b11');
    await untilAtRest(page);
    const after = await place(page);
    await page.getByRole('button', { name: /Jump to latest, 1 new/ }).click();
    await untilAtRest(page);
    const returned = await distanceFromEnd(page);
    await preview.leave(page);
    expect([following, after, returned]).toEqual([0, before, 0]);
  });

  test('goes to a requested message, marks it, and stays there; a row without a place is shown by its turn', async () => {
    const page = await openLong();
    const reveal = async (messageUid: string, turnUid: string): Promise<unknown> => {
      await tell(page, 'reveal', { messageUid, turnUid });
      await untilAtRest(page);
      return page.evaluate(() => {
        const article = document.activeElement instanceof HTMLElement ? document.activeElement : null;
        const top = article?.getBoundingClientRect().top ?? -1;
        return [article?.dataset['uid'], article !== null && 'revealed' in article.dataset, top > 0 && top < 450];
      });
    };
    const seen = [
      await reveal('la9', 'lt9'),
      await reveal('a-tool-row', 'lt30'),
      await reveal('lu2', 'lt2'),
      await reveal('la39', 'lt39'),
    ];
    await preview.leave(page);
    expect(seen).toEqual([
      ['la9', true, true],
      ['lu30', true, true],
      ['lu2', true, true],
      ['la39', true, true],
    ]);
  });

  test('stops at a small turn of the wheel in the middle of a fast stream', async () => {
    const { page } = await preview.open('streaming', { height: 500 });
    await page.locator('.scroller').hover();
    const streaming = stream(page, 'A line that comes fast.\n\n'.repeat(150), 12);
    await page.getByText('A line that comes fast.').nth(5).waitFor();
    await page.mouse.wheel(0, -6);
    await streaming;
    await untilAtRest(page);
    const distance = await distanceFromEnd(page);
    await preview.leave(page);
    expect(distance).toBeGreaterThan(200);
  });
});

describe('a question about a change', () => {
  test('begins near the change, at every width, until the user scrolls in it', async () => {
    const { page } = await preview.open('approval-edit', { width: 450, height: 400 });
    const view = page.getByRole('region', { name: 'Changes' });
    const changeIsSeen = (): Promise<boolean> =>
      view.evaluate((element) => {
        const [{ top, bottom }, change] = [
          element.getBoundingClientRect(),
          element.querySelector('.diff-added, .diff-removed')?.getBoundingClientRect(),
        ];
        return change !== undefined && change.top >= top && change.bottom <= bottom;
      });
    const seen: boolean[] = [];
    for (const width of [300, 900, 300]) {
      await page.setViewportSize({ width, height: 400 });
      await untilAtRest(page);
      seen.push(await changeIsSeen());
    }
    await view.hover();
    await page.mouse.wheel(0, -1000);
    await untilAtRest(page);
    await page.setViewportSize({ width: 260, height: 400 });
    await untilAtRest(page);
    const place = await view.evaluate((element) => element.scrollTop);
    await preview.leave(page);
    expect([seen, place]).toEqual([[true, true, true], 0]);
  });

  test('has space for four lines of the change below two notices, at a zoom of 200 %', async () => {
    const { page } = await preview.open('approval-notices', { width: 270, height: 297 });
    const seen = await page.getByRole('alertdialog').evaluate((card) => {
      const { scrollHeight } = document.documentElement;
      const lines = [...card.querySelectorAll('.diff-line')];
      lines[0]?.scrollIntoView();
      const isInView = (line: Element): boolean => {
        const { left, top, bottom } = line.getBoundingClientRect();
        return [top + 1, bottom - 1].every((y) => line.contains(document.elementFromPoint(left + 1, y)));
      };
      return { scrollHeight, isEnough: lines.filter(isInView).length >= 4 };
    });
    await preview.leave(page);
    expect(seen).toEqual({ scrollHeight: 297, isEnough: true });
  });
});
