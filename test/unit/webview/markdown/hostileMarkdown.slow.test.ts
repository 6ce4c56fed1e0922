import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { allowedAttributes, allowedElements, hostileHtml, hostileMarkdown } from '../../../support/hostileMarkdown';
import { untilAtRest } from '../../../support/webviewPreview/browserPreview';
import { harm, harmless } from '../../../support/webviewPreview/renderedHarm';
import { tellTurn, usePreview } from '../../../support/webviewPreview/openPreview';
import { delivered } from '../../../support/builders/viewMessages';

const preview = usePreview({ sanitizer: 'test/support/webviewPreview/sanitizerProgram.ts' });

/** Pieces drawn in one page, one after the other. */
const perPage = 12;
const groups = Array.from({ length: Math.ceil(hostileMarkdown.length / perPage) }, (_, index) =>
  hostileMarkdown.slice(index * perPage, (index + 1) * perPage),
).map((pieces) => ({ names: pieces.map(({ name }) => name).join(', '), pieces }));

/** A text in a message of its own, in pieces cut where a fixed sequence says. */
async function stream(page: Page, uid: string, text: string, cuts: number): Promise<void> {
  let [start, seed] = [0, 7];
  for (let seq = 1; start < text.length; seq++) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const end =
      seq > cuts
        ? text.length
        : Math.min(text.length, start + 1 + Math.floor((seed / 2147483648) * ((2 * text.length) / (cuts + 1))));
    await tellTurn(page, delivered('turn2', uid, seq, start, text.slice(start, end)));
    start = end;
  }
}

describe(
  'hostile text in the chat runs nothing, loads nothing, adds no element of its own and does not hang',
  { concurrent: true },
  () => {
    test.each(groups)('$names', async ({ pieces }) => {
      const opened = await preview.open('streaming');
      for (const [index, { text }] of pieces.entries()) {
        for (const [uid, cuts] of [
          [`whole${index}`, 0],
          [`cut${index}`, text.length > 20_000 ? 3 : 12],
        ] as const) {
          await stream(opened.page, uid, text, cuts);
          await opened.page.locator(`article[data-uid=${uid}] .markdown`).first().waitFor({ state: 'attached' });
        }
      }
      await untilDrawn(opened.page);
      const found = await harm(opened);
      await opened.page.close();
      expect(found).toEqual(harmless);
    });
  },
);

/** A long text is drawn in pieces, one after the other. */
async function untilDrawn(page: Page): Promise<void> {
  const elements = (): Promise<number> => page.evaluate(() => document.querySelectorAll('.feed *').length);
  for (let before = -1, now = await elements(); now !== before; now = await elements()) {
    before = now;
    await untilAtRest(page);
  }
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
