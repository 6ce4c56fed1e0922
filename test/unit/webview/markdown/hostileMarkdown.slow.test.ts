import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { protocolVersion } from '../../../../src/protocol/envelope';
import { answer, prompt, session, settledTurn } from '../../../support/builders/viewMessages';
import { storedTurn, transcriptState } from '../../../support/builders/transcriptState';
import {
  allowedAttributes,
  allowedElements,
  hostileHtml,
  hostileMarkdown,
  type HostilePiece,
} from '../../../support/hostileMarkdown';
import { BrowserPreview, untilAtRest } from '../../../support/webviewPreview/browserPreview';
import { harm, harmless } from '../../../support/webviewPreview/renderedHarm';

let preview: BrowserPreview;
beforeAll(async () => {
  preview = await BrowserPreview.start({ sanitizer: 'test/support/webviewPreview/sanitizerProgram.ts' });
}, 120_000);
afterAll(() => preview.close());

/** Pieces drawn in one page, one after the other. */
const perPage = 12;
const groups = Array.from({ length: Math.ceil(hostileMarkdown.length / perPage) }, (_, index) =>
  hostileMarkdown.slice(index * perPage, (index + 1) * perPage),
).map((pieces) => ({ names: pieces.map(({ name }) => name).join(', '), pieces }));

function tell(page: Page, name: string, payload: object): Promise<void> {
  return page.evaluate(
    (sent) => window.postMessage(JSON.parse(sent), '*'),
    JSON.stringify({ v: protocolVersion, kind: 'notification', name, payload }),
  );
}

/** Twenty thousand characters, of which the work for every other text is judged: a busy machine takes longer for both. */
const plainText = 'Plain words in a line, and **some** of `them` marked.\n\n'.repeat(360);
const mostOfUsual = 60;

/** A text in a message of its own, in pieces cut where a fixed sequence says. */
async function stream(page: Page, uid: string, text: string, cuts: number): Promise<void> {
  let [start, seed] = [0, 7];
  for (let seq = 1; start < text.length; seq++) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const end =
      seq > cuts
        ? text.length
        : Math.min(text.length, start + 1 + Math.floor((seed / 2147483648) * ((2 * text.length) / (cuts + 1))));
    await tell(page, 'turnEvent', {
      sessionId: session().id,
      event: {
        kind: 'delivered',
        turnUid: 'turn2',
        chunks: [{ messageUid: uid, seq, part: 0, kind: 'text', start, text: text.slice(start, end) }],
      },
    });
    start = end;
  }
}

/** CPU seconds of the page's own thread. */
async function cpuSeconds(page: Page): Promise<() => Promise<number>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () =>
    (await cdp.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

describe(
  'hostile text in the chat runs nothing, loads nothing, adds no element of its own and does not hang',
  { concurrent: true },
  () => {
    test.each(groups)('$names', { timeout: 180_000 }, async ({ pieces }) => {
      const opened = await preview.open('streaming');
      const cpu = await cpuSeconds(opened.page);
      const draw = async (uid: string, text: string): Promise<number> => {
        const before = await cpu();
        await stream(opened.page, uid, text, 0);
        await opened.page.locator(`article[data-uid=${uid}] .markdown`).first().waitFor({ state: 'attached' });
        return (await cpu()) - before;
      };
      const usual = await draw('plain', plainText);
      const slow: string[] = [];
      for (const [index, { name, text }] of pieces.entries()) {
        const took = await draw(`whole${index}`, text);
        if (took > mostOfUsual * usual) slow.push(`${name}: ${(took / usual).toFixed(0)} times as long as plain text`);
        await stream(opened.page, `cut${index}`, text, text.length > 20_000 ? 3 : 12);
        await opened.page.locator(`article[data-uid=cut${index}] .markdown`).first().waitFor({ state: 'attached' });
      }
      await untilDrawn(opened.page);
      const found = await harm(opened);
      await opened.page.close();
      expect([found, slow]).toEqual([harmless, []]);
    });
  },
);

describe('hostile text in the transcript runs nothing either', { concurrent: true }, () => {
  test.each(groups)('$names', { timeout: 180_000 }, async ({ pieces }) => {
    const opened = await preview.open('transcript');
    await tell(
      opened.page,
      'bootstrap',
      transcriptState({
        messages: [prompt({ uid: 'u1', position: 1 }, 'Show me'), ...pieces.map(answerOf)],
        turns: [storedTurn(settledTurn())],
      }),
    );
    await opened.page.locator('[data-uid=piece0] .markdown').waitFor({ state: 'attached' });
    const found = await harm(opened);
    await opened.page.close();
    expect(found).toEqual(harmless);
  });
});

/** A long text is drawn in pieces, one after the other. */
async function untilDrawn(page: Page): Promise<void> {
  const elements = (): Promise<number> => page.evaluate(() => document.querySelectorAll('.feed *').length);
  for (let before = -1, now = await elements(); now !== before; now = await elements()) {
    before = now;
    await untilAtRest(page);
  }
}

function answerOf({ text }: HostilePiece, index: number): ReturnType<typeof answer> {
  return answer({ uid: `piece${index}`, position: index + 2 }, [text]);
}

test('hostile HTML does not pass the sanitizer even when it is given as HTML', async () => {
  const { page, strays } = await preview.open('complete');
  await page.evaluate(preview.source('sanitizer'));
  const found = await page.evaluate(
    (pieces) => {
      const sanitize: unknown = Reflect.get(window, 'sanitizedFragment');
      if (typeof sanitize !== 'function') throw new Error('The sanitiser is not there');
      const body = document.body.appendChild(document.createElement('div'));
      for (const piece of pieces) body.append(sanitize(piece));
      const elements = [...body.querySelectorAll('*')];
      return {
        names: elements.map(({ localName }) => localName),
        attributes: elements.flatMap((element) => [...element.attributes].map(({ name }) => name)),
        text: body.textContent ?? '',
      };
    },
    hostileHtml.map(({ text }) => text),
  );
  await untilAtRest(page);
  const pwned = await page.evaluate(() => Reflect.get(window, 'pwned'));
  await page.close();
  expect({
    names: found.names.filter((name) => !allowedElements.test(name)),
    attributes: found.attributes.filter((name) => !allowedAttributes.test(name)),
    kept: found.text.includes('kept'),
    pwned,
    strays,
  }).toEqual({ names: [], attributes: [], kept: true, pwned: undefined, strays: [] });
});

test('the hostile samples are of many kinds, each with a unique name', () => {
  expect([hostileMarkdown.length >= 60, new Set(hostileMarkdown.map(({ name }) => name)).size]).toEqual([
    true,
    hostileMarkdown.length,
  ]);
});
