import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { answer, prompt, session, settledTurn, shownSession } from '../../../support/builders/viewMessages';
import { stream, tell, usePreview } from '../../../support/webviewPreview/openPreview';

const preview = usePreview({}, 'chat');

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
  );
  return numbersDrawn(page);
}

const all = Array.from({ length: words }, (_, index) => index);
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
});

test('a very long answer that streams is rendered completely and in order', async () => {
  const { page } = await preview.open('streaming', { height: 500 });
  await stream(page, text, 20_000);
  const drawn = await untilDrawn(page);
  await page.close();
  expect(drawn).toEqual(all);
});
