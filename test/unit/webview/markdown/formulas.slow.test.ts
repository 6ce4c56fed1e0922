import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { untilAtRest } from '../../../support/webviewPreview/browserPreview';
import { tellTurn, usePreview } from '../../../support/webviewPreview/openPreview';
import { delivered } from '../../../support/builders/viewMessages';

const preview = usePreview({}, 'chat');

interface ShownMath {
  /** Text of the page, which is the delivered text. */
  readonly source: string;
  /** Text of the formula that is seen; null while the source is seen. */
  readonly formula: string | null;
  readonly title: string;
}

function mathIn(page: Page, uid: string): Promise<readonly ShownMath[]> {
  return page.evaluate(
    (article) =>
      [...document.querySelectorAll<HTMLElement>(`article[data-uid=${article}] :is(.math, .math-block)`)].map(
        (math) => ({
          source: math.textContent ?? '',
          formula: math.shadowRoot?.querySelector('.katex-html')?.textContent?.replaceAll('\u200b', '') ?? null,
          title: math.title,
        }),
      ),
    uid,
  );
}

/** Delivers the next piece of an answer. */
const deliver = (page: Page, seq: number, start: number, text: string): Promise<void> =>
  tellTurn(page, delivered('turn2', 'streamed', seq, start, text));

async function untilShown(page: Page, uid: string, count: number): Promise<void> {
  await expect.poll(async () => (await mathIn(page, uid)).filter(({ formula }) => formula !== null).length).toBe(count);
}

test('math in an answer is shown as formulas, under the page’s policy, and its text stays as delivered', async () => {
  const { page, problems, strays } = await preview.open('math', { width: 900 });
  const text = (): Promise<string | null> => page.locator('article[data-uid=a1] [data-part=text]').textContent();
  const before = await text();
  await untilShown(page, 'a1', 9);
  const [first] = await mathIn(page, 'a1');
  const look = await page.evaluate(() => {
    const root = document.querySelector('.math')?.shadowRoot;
    const subscript = root?.querySelector('.vlist > span');
    return {
      font: [...document.fonts].find(({ family }) => family === 'KaTeX_Math')?.status,
      // Set by script: a style that came with markup would be forbidden.
      raised: subscript instanceof HTMLElement ? getComputedStyle(subscript).top !== 'auto' : null,
      spoken: root?.querySelector('math')?.getAttribute('aria-label'),
      hidden: root?.querySelector('.source')?.getAttribute('aria-hidden'),
    };
  });
  const mistaken = (await mathIn(page, 'a1')).filter(({ formula }) => formula === null);
  const after = await text();
  await page.close();
  expect({ first, look, mistaken, same: after === before, problems, strays }).toEqual({
    first: { source: '$w_n = 200 \\cdot n$', formula: 'wn=200⋅n', title: '$w_n = 200 \\cdot n$' },
    look: { font: 'loaded', raised: true, spoken: 'w_n = 200 \\cdot n', hidden: 'true' },
    mistaken: [
      {
        source: '$\\frac{1}{2$',
        formula: null,
        title: "This formula can’t be shown: Unexpected end of input in a macro argument, expected '}'",
      },
    ],
    same: true,
    problems: [],
    strays: [],
  });
});

test('only a formula that is wider than its line scrolls, so that Tab stops at no other', async () => {
  const { page } = await preview.open('math', { width: 300 });
  await untilShown(page, 'a1', 9);
  const scrolling = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.math, .math-block')].flatMap(({ shadowRoot, textContent }) => {
      const view = shadowRoot?.querySelector('.view') ?? null;
      return view !== null && view.scrollWidth > view.clientWidth ? [(textContent ?? '').trim().slice(0, 12)] : [];
    }),
  );
  await page.close();
  expect(scrolling).toEqual(['$$\nf(x) = \\i']);
});

test('copying a formula copies its source', async () => {
  const { page } = await preview.open('math', { width: 900 });
  await untilShown(page, 'a1', 9);
  await page.evaluate(() => {
    const [from, to] = document.querySelectorAll('article[data-uid=a1] .markdown-block');
    if (from !== undefined && to !== undefined)
      document.getSelection()?.setBaseAndExtent(from, 0, to, to.childNodes.length);
  });
  await page.keyboard.press('Control+c');
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.click();
  await page.keyboard.press('Control+v');
  const pasted = await message.inputValue();
  await page.close();
  expect(pasted.replaceAll(/\s+/g, ' ').trim()).toBe(
    'The waits are $w_n = 200 \\cdot n$ ms, so $\\sum_{n=1}^{3} w_n$ is at most 1200 ms: ' +
      '$$ \\begin{aligned} w_1 + w_2 + w_3 &= 200 + 400 + 600 \\\\ &= 1200 \\end{aligned} $$',
  );
});

test('math that still arrives is shown as its source, and as a formula when its block is closed', async () => {
  const { page, problems } = await preview.open('streaming');
  const steps: readonly (readonly [piece: string, seen: readonly string[]])[] = [
    ['So:\n\n$$\n', ['$$']],
    ['x^2', ['$$\nx^2']],
    ['\n$$\n', ['$$\nx^2\n$$']],
    ['\nThen $a_1$ is', ['x2', '$a_1$']],
    [' *done*.\n\n', ['x2', 'a1']],
    ['Next', ['x2', 'a1']],
  ];
  const seen = async (): Promise<readonly string[]> =>
    (await mathIn(page, 'streamed')).map(({ source, formula }) => formula ?? source);
  let start = 0;
  for (const [index, [piece, expected]] of steps.entries()) {
    await deliver(page, index + 1, start, piece);
    start += piece.length;
    await expect.poll(seen).toEqual(expected);
    // It stays that way.
    await untilAtRest(page);
    expect(await seen()).toEqual(expected);
  }
  await page.close();
  expect(problems).toEqual([]);
});

test('a formula whose program is loaded appears in the frame that closes its block', async () => {
  const { page } = await preview.open('streaming');
  await deliver(page, 1, 0, '$$\na\n$$\n\nOne.\n\n');
  await untilShown(page, 'streamed', 1);
  await page.evaluate(() => {
    const seen: boolean[] = [];
    Object.assign(window, { seen });
    const look = (): void => {
      const blocks = [...document.querySelectorAll('article[data-uid=streamed] .markdown-block')];
      const at = blocks.findIndex((block) => block.textContent?.startsWith('$$\nb') === true);
      if (at >= 0 && at < blocks.length - 1) seen.push(blocks[at]?.querySelector('.math-block')?.shadowRoot !== null);
      if (seen.length < 5) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await deliver(page, 2, 15, '$$\nb\n$$\n\nTwo.');
  await page.waitForFunction(() => (Reflect.get(window, 'seen') as readonly boolean[]).length === 5);
  const seen = await page.evaluate(() => Reflect.get(window, 'seen'));
  await page.close();
  expect(seen).toEqual([true, true, true, true, true]);
});
