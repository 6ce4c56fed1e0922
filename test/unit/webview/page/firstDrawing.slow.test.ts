import { expect, test } from 'vitest';
import { protocolVersion } from '../../../../src/protocol/envelope';
import { answer, prompt, session, settledTurn, shownSession } from '../../../support/builders/viewMessages';
import { usePreview } from '../../../support/webviewPreview/openPreview';

const preview = usePreview({}, 'chat');

const turns = 30;
const numbers = Array.from({ length: turns }, (_, index) => index);
const shown = shownSession({
  session: session({ id: 'other', conversationId: 'other' }),
  messages: numbers.flatMap((number) => [
    {
      ...prompt({ uid: `u${number}`, position: number * 2 + 1, turnUid: `t${number}` }, `Question ${number}`),
      sessionId: 'other',
    },
    {
      ...answer({ uid: `a${number}`, position: number * 2 + 2, turnUid: `t${number}` }, ['Because.\n\n'.repeat(10)]),
      sessionId: 'other',
    },
  ]),
  turns: numbers.map((number) => ({ ...settledTurn(`t${number}`, `u${number}`), sessionId: 'other' })),
});

test('the end of a session is rendered first, and the rest above it after the first paint, without moving anything', async () => {
  const { page } = await preview.open('complete');
  await page.locator('article[aria-posinset]').first().waitFor();
  const first = await page.evaluate(
    (message) =>
      new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          const last = document.querySelector('article[data-uid=a29]');
          if (last === null) return;
          observer.disconnect();
          const drawn = document.querySelectorAll('.feed article').length;
          requestAnimationFrame(() =>
            setTimeout(() => resolve({ drawn, bottom: Math.round(last.getBoundingClientRect().bottom) }), 0),
          );
        });
        observer.observe(document.body, { childList: true, subtree: true });
        window.postMessage(JSON.parse(message), '*');
      }),
    JSON.stringify({ v: protocolVersion, kind: 'notification', name: 'shown', payload: shown }),
  );
  const last = page.locator('article[data-uid=a29]');
  await page.locator('article[data-uid=u0][aria-posinset="1"]').waitFor();
  const whole = {
    drawn: await page.locator('.feed article').count(),
    bottom: await last.evaluate((element) => Math.round(element.getBoundingClientRect().bottom)),
  };
  expect([first, whole]).toEqual([
    { drawn: 20, bottom: whole.bottom },
    { drawn: 60, bottom: whole.bottom },
  ]);
});
