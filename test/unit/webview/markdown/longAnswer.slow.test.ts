import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { protocolVersion } from '../../../../src/protocol/envelope';
import { answer, prompt, session, settledTurn, shownSession } from '../../../support/builders/viewMessages';
import { BrowserPreview } from '../../../support/webviewPreview/browserPreview';

let preview: BrowserPreview;
beforeAll(async () => {
  preview = await BrowserPreview.start({}, 'chat');
}, 120_000);
afterAll(() => preview.close());

const kinds = [
  (word: string) => `## ${word}`,
  (word: string) => `A paragraph with ${word} in it${', and what else there is to say'.repeat(20)}.`,
  (word: string) => `- ${word}`,
  (word: string) => `\`\`\`ts\nconst ${word} = 1;\n\`\`\``,
  (word: string) => `| a | b |\n|---|---|\n| ${word} | x |`,
];
const words = 5_000;
const text = Array.from({ length: words }, (_, index) => kinds[index % kinds.length]?.(`w${index}w`)).join('\n\n');

/** The numbers of the words that are drawn, in the order of the page. */
const numbersDrawn = (page: Page): Promise<readonly number[]> =>
  page.evaluate(() =>
    [...(document.querySelector('.feed')?.textContent ?? '').matchAll(/w(\d+)w/g)].map(([, number]) => Number(number)),
  );

async function untilDrawn(page: Page): Promise<readonly number[]> {
  await page.waitForFunction(
    (last) => (document.querySelector('.feed')?.textContent ?? '').includes(last),
    `w${words - 1}w`,
    { timeout: 60_000 },
  );
  return numbersDrawn(page);
}

const all = Array.from({ length: words }, (_, index) => index);
const tell = (page: Page, name: string, payload: unknown): Promise<void> =>
  page.evaluate(
    (sent) => window.postMessage(JSON.parse(sent), '*'),
    JSON.stringify({ v: protocolVersion, kind: 'notification', name, payload }),
  );

test('a very long answer that is opened is rendered in order, piece by piece; where formatting ends it says so', async () => {
  const { page } = await preview.open('complete');
  await page.locator('article[aria-posinset]').first().waitFor();
  const messages = [
    { ...prompt({ uid: 'u', position: 1, turnUid: 't' }, 'Tell me all'), sessionId: 'long' },
    { ...answer({ uid: 'a', position: 2, turnUid: 't' }, [text]), sessionId: 'long' },
  ];
  await tell(
    page,
    'shown',
    shownSession({
      session: session({ id: 'long', conversationId: 'long' }),
      messages,
      turns: [{ ...settledTurn('t', 'u'), sessionId: 'long' }],
    }),
  );
  const drawn = await untilDrawn(page);
  const note = page.locator('.markdown-note');
  const looks = {
    pieces: (await page.locator('.feed .markdown').count()) > 5,
    notes: await note.count(),
    plain: (await page.locator('.plain-text').first().textContent())?.includes('```ts'),
  };
  await page.close();
  expect({ drawn: drawn.length === words && drawn.every((number, index) => number === index), looks }).toEqual({
    drawn: true,
    looks: { pieces: true, notes: 1, plain: true },
  });
}, 120_000);

test('a very long answer that streams is rendered completely and in order', async () => {
  const { page } = await preview.open('streaming', { height: 500 });
  for (let start = 0, seq = 1; start < text.length; start += 20_000, seq++) {
    const chunks = [{ messageUid: 'b10', seq, part: 0, kind: 'text', start, text: text.slice(start, start + 20_000) }];
    await tell(page, 'turnEvent', { sessionId: session().id, event: { kind: 'delivered', turnUid: 'turn2', chunks } });
  }
  const drawn = await untilDrawn(page);
  await page.close();
  expect(drawn).toEqual(all);
}, 120_000);
