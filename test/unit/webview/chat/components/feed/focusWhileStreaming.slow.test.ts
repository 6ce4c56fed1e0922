import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { protocolVersion } from '../../../../../../src/protocol/envelope';
import type { TurnEvent } from '../../../../../../src/transcript/turnEvent';
import { answer, session, settledTurn } from '../../../../../support/builders/viewMessages';
import { BrowserPreview } from '../../../../../support/webviewPreview/browserPreview';

let preview: BrowserPreview;
beforeAll(async () => {
  preview = await BrowserPreview.start();
}, 120_000);
afterAll(() => preview.close());

function tell(page: Page, event: TurnEvent): Promise<void> {
  const message = {
    v: protocolVersion,
    kind: 'notification',
    name: 'turnEvent',
    payload: { sessionId: session().id, event },
  };
  return page.evaluate((sent) => window.postMessage(JSON.parse(sent), '*'), JSON.stringify(message));
}

/** 200 pieces of text into the open turn of state "streaming", then its end. */
async function streamToTheEnd(page: Page): Promise<void> {
  const piece = 'Words, and more of them.\n\n';
  for (let seq = 1; seq <= 200; seq++)
    await tell(page, {
      kind: 'delivered',
      turnUid: 'turn2',
      chunks: [{ messageUid: 'b10', seq, part: 0, kind: 'text', start: (seq - 1) * piece.length, text: piece }],
    });
  const message = answer({ uid: 'b10', position: 30, turnUid: 'turn2' }, [piece.repeat(200)], { lastSeq: 200 });
  await tell(page, { kind: 'messageStored', message });
  await tell(page, { kind: 'turnSettled', turn: settledTurn('turn2'), messages: [message] });
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.className ?? '');

describe('while text streams and when it ends, the focus stays', () => {
  test.each([
    ['in the composer', (page: Page) => page.getByRole('textbox', { name: 'Message' }).focus()],
    [
      "in the session's title",
      async (page: Page) => {
        await page.getByRole('button', { name: /^Rename Session/ }).press('Enter');
        await page.getByRole('textbox', { name: 'Session Title' }).waitFor();
      },
    ],
    [
      'in the words that are looked for',
      async (page: Page) => {
        await page.getByRole('textbox', { name: 'Message' }).press('Control+f');
        // It takes the focus with the frame behind the one that shows it.
        await page.locator('input:focus').waitFor();
      },
    ],
    [
      'on an earlier message',
      (page: Page) =>
        page
          .getByRole('article', { name: /^Hermes, / })
          .first()
          .focus(),
    ],
    [
      'on the tools of an earlier message',
      (page: Page) => page.getByRole('toolbar', { name: 'Answer Actions' }).first().getByRole('button').first().focus(),
    ],
  ])('%s', { timeout: 60_000 }, async (_where, begin) => {
    const { page } = await preview.open('streaming', { height: 500 });
    await page.getByRole('toolbar').first().waitFor({ state: 'attached' });
    await begin(page);
    const before = await focused(page);
    const moved = await page.evaluate(() => {
      const moves: string[] = [];
      Object.assign(window, { moves });
      document.addEventListener('focusin', (event) =>
        moves.push(event.target instanceof Element ? event.target.outerHTML.slice(0, 80) : ''),
      );
      return moves;
    });
    await streamToTheEnd(page);
    const after = [await focused(page), await page.evaluate(() => Reflect.get(window, 'moves'))];
    // Said once, politely, and nothing with it.
    const said = await page.locator('main > [role=status]').allInnerTexts();
    await page.close();
    expect([before === '', moved, after, said.length]).toEqual([false, [], [before, []], 1]);
  });
});

describe('for a screen reader', () => {
  test('the panel is a heading, a feed of articles by name and time, and a field; live regions exist from the start', async () => {
    const { page } = await preview.open('tools');
    await page.getByRole('toolbar').first().waitFor({ state: 'attached' });
    const seen = {
      language: await page.locator('html').getAttribute('lang'),
      headings: await page.getByRole('heading', { level: 1 }).allInnerTexts(),
      feeds: await page.getByRole('feed', { name: 'Conversation' }).count(),
      strangers: (
        await page
          .getByRole('article')
          .evaluateAll((articles) => articles.map((article) => article.getAttribute('aria-label') ?? ''))
      ).filter((name) => !/^(You|Hermes|Continued), .*\d/.test(name)),
      outside: await page.locator('article:not([role=feed] article)').count(),
      calls: (
        await page
          .locator('[role=group][aria-label^="Tool: "]')
          .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''))
      ).filter((name) => !/, \S/.test(name)),
      said: await page.locator('main > [role=status]').count(),
      unnamed: await page
        .locator('button, input, textarea, select')
        .evaluateAll((controls) =>
          controls
            .filter((control) => (control.getAttribute('aria-label') ?? control.textContent ?? '').trim() === '')
            .map((control) => control.outerHTML.slice(0, 100)),
        ),
      order: await page.evaluate(() => {
        const stops = [
          ...document.querySelectorAll<HTMLElement>('button, input, textarea, select, a[href], [tabindex="0"]'),
        ].filter((element) => element.tabIndex > 0);
        return stops.length;
      }),
    };
    await page.close();
    expect(seen).toMatchObject({
      language: 'en',
      feeds: 1,
      strangers: [],
      outside: 0,
      calls: [],
      said: 1,
      unnamed: [],
      order: 0,
    });
    expect(seen.headings).toHaveLength(1);
  });
});
