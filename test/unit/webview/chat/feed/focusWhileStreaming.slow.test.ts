import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { answer, settledTurn } from '../../../../support/builders/viewMessages';
import { stream, tellTurn, usePreview } from '../../../../support/webviewPreview/openPreview';

const preview = usePreview();

/** 200 pieces of text into the open turn of state "streaming", then its end. */
async function streamToTheEnd(page: Page): Promise<void> {
  const piece = 'Words, and more of them.\n\n';
  await stream(page, piece.repeat(200), piece.length);
  const message = answer({ uid: 'b10', position: 30, turnUid: 'turn2' }, [piece.repeat(200)], { lastSeq: 200 });
  await tellTurn(page, { kind: 'messageStored', message });
  await tellTurn(page, { kind: 'turnSettled', turn: settledTurn('turn2'), messages: [message] });
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
  ])('%s', async (_where, begin) => {
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
