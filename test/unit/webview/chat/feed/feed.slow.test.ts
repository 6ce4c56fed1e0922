import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { protocolVersion } from '../../../../../src/protocol/envelope';
import { delivered, session } from '../../../../support/builders/viewMessages';
import { type PreviewAppearance, untilAtRest } from '../../../../support/webviewPreview/browserPreview';
import { tellTurn, usePreview } from '../../../../support/webviewPreview/openPreview';

const preview = usePreview();
let page: Page;
afterEach(() => preview.leave(page));

/** What is drawn at most: whole turns, and the page that was just loaded. */
const mostArticles = 300;

async function open(name: string, look: PreviewAppearance = {}): Promise<void> {
  ({ page } = await preview.open(name, look));
  // The part of the program behind the first paint is there.
  await page.locator('article[aria-posinset]').first().waitFor();
}

const scroller = () => page.locator('.scroller');
const articles = () => page.locator('.feed article').count();
const scrollTo = (top: number) => scroller().evaluate((element, to) => (element.scrollTop = to), top);
const uids = (): Promise<readonly string[]> =>
  page.locator('.feed article').evaluateAll((all) => all.map((article) => article.getAttribute('data-uid') ?? ''));
const focused = () =>
  page.evaluate(
    () =>
      document.activeElement?.getAttribute('data-uid') ??
      document.activeElement?.getAttribute('aria-label') ??
      document.activeElement?.className,
  );

/** The first article in sight, and where it is. */
const place = (): Promise<{ uid: string; top: number }> =>
  scroller().evaluate((element) => {
    const edge = element.getBoundingClientRect().top;
    const seen = [...element.querySelectorAll<HTMLElement>('article[data-uid]')].find(
      (article) => article.getBoundingClientRect().bottom > edge + 1,
    );
    return { uid: seen?.dataset['uid'] ?? '', top: Math.round((seen?.getBoundingClientRect().top ?? 0) - edge) };
  });
const isAtEnd = () =>
  scroller().evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop < 2);
const text = (uid: string) => page.locator(`article[data-uid=${uid}]`);

const delivers = (uid: string, seq: number, start: number, words: string) =>
  tellTurn(page, delivered('lt400', uid, seq, start, words));

/** Goes to the first prompt by the key Home. */
async function goToStart(): Promise<void> {
  await scroller().focus();
  await page.keyboard.press('Home');
  await text('lu0').waitFor();
}

async function openAtStart(name = 'feed-long'): Promise<void> {
  await open(name);
  await goToStart();
}

describe('a conversation of 400 turns', () => {
  test('can be walked up to its first prompt and back to its end with a bounded number of articles', async () => {
    await open('feed-long');
    let most = 0;
    const walk = async (until: () => Promise<boolean>, to: number): Promise<void> => {
      for (let steps = 0; steps < 200 && !(await until()); steps++) {
        await scrollTo(to);
        await untilAtRest(page);
        most = Math.max(most, await articles());
      }
    };
    await walk(async () => (await uids())[0] === 'lu0', 0);
    const top = await uids();
    await walk(
      async () =>
        (await uids()).at(-1) === 'la399' &&
        (await page.getByRole('button', { name: 'Show Later Messages' }).count()) === 0,
      1e9,
    );
    expect({
      top: top[0],
      endIsFar: !top.includes('la399'),
      end: (await uids()).at(-1),
      bounded: most <= mostArticles,
    }).toEqual({ top: 'lu0', endIsFar: true, end: 'la399', bounded: true });
  });

  test('keeps the position while pages come and others go', async () => {
    await open('feed-long');
    const moved: number[] = [];
    for (let round = 0; round < 8; round++) {
      const first = (await uids())[0];
      if (first === 'lu0') break;
      await scrollTo(300);
      const before = await place();
      await page.waitForFunction(
        (uid) => document.querySelector('.feed article')?.getAttribute('data-uid') !== uid,
        first,
      );
      await untilAtRest(page);
      const after = await text(before.uid).evaluate((article) =>
        Math.round(
          article.getBoundingClientRect().top - (article.closest('.scroller')?.getBoundingClientRect().top ?? 0),
        ),
      );
      moved.push(Math.abs(after - before.top));
    }
    expect([Math.max(...moved) <= 2, (await articles()) <= mostArticles, moved.length > 3]).toEqual([true, true, true]);
  });

  test('goes to both of its ends by Home and End', async () => {
    await openAtStart();
    const first = await place();
    await page.keyboard.press('End');
    await text('la399').waitFor();
    await page.waitForFunction(() => {
      const one = document.querySelector('.scroller');
      return one !== null && one.scrollHeight - one.clientHeight - one.scrollTop < 2;
    });
    expect([first.uid, await page.getByRole('button', { name: /Jump to latest/ }).count()]).toEqual(['lu0', 0]);
  });

  test('has a button to the newest message that covers no words', async () => {
    await openAtStart();
    const button = await page.getByRole('button', { name: /Jump to latest/ }).boundingBox();
    const words = await scroller().boundingBox();
    expect((button?.y ?? 0) - ((words?.y ?? 0) + (words?.height ?? 0))).toBeGreaterThanOrEqual(0);
  });

  test('counts new messages while the user is elsewhere, and reaches the newest at once', async () => {
    await openAtStart('feed-running');
    const before = await place();
    await delivers('n1', 1, 0, 'The newest part is this one.');
    await page.getByRole('button', { name: 'Jump to latest, 1 new' }).waitFor();
    const after = await place();
    await page.getByRole('button', { name: 'Jump to latest, 1 new' }).click();
    await text('n1').getByText('The newest part').waitFor();
    await delivers('n1', 2, 28, ' It goes on. '.repeat(100));
    await page.waitForFunction(() => document.querySelector('article[data-uid=n1]')?.textContent?.includes('goes on'));
    expect([before, await isAtEnd()]).toEqual([after, true]);
  });

  test.each([
    [
      'the mouse leaves the focus where it was',
      'Message',
      (): Promise<void> => page.getByRole('button', { name: /Jump to latest/ }).click(),
    ],
    [
      'the keyboard gives it to the conversation',
      'scroller',
      (): Promise<void> => page.getByRole('button', { name: /Jump to latest/ }).press('Enter'),
    ],
  ])('reaches the newest with one press: %s', async (_how, keeps, press) => {
    await openAtStart();
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await press();
    await page.getByRole('button', { name: /Jump to latest/ }).waitFor({ state: 'detached' });
    expect([await focused(), await isAtEnd()]).toEqual([keeps, true]);
  });

  test('is at the same position after the page was away', async () => {
    await openAtStart();
    await scrollTo(900);
    await untilAtRest(page);
    const before = await place();
    await page.reload();
    await text(before.uid).waitFor();
    await untilAtRest(page);
    expect([await place(), (await uids())[0]]).toEqual([before, 'lu0']);
  });

  test('stores its position at once when the page is left', async () => {
    await openAtStart();
    await untilAtRest(page);
    const stored = await scroller().evaluate(async (element) => {
      element.scrollTop = 900;
      await new Promise((resolve) => element.addEventListener('scroll', resolve, { once: true }));
      window.dispatchEvent(new Event('pagehide'));
      return JSON.parse(sessionStorage.getItem('state') ?? 'null');
    });
    expect(stored).toMatchObject({ anchor: { uid: (await place()).uid } });
    expect((await place()).uid).not.toBe('lu0');
  });

  test('returns the focus to the message that had it', async () => {
    await openAtStart();
    await page.keyboard.press('Alt+PageDown');
    await untilAtRest(page);
    const before = await focused();
    await page.reload();
    await page.waitForFunction((uid) => document.activeElement?.getAttribute('data-uid') === uid, before);
    expect(before).toBe('lu1');
  });

  test('leaves the focus to an editor beside it when new messages arrive, and restores it on return', async () => {
    ({ page } = await preview.open('feed-running'));
    const view = page.url();
    await page.route('**/editor', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<textarea aria-label="Editor"></textarea><iframe src="${view}" width="450" height="700"></iframe>`,
      }),
    );
    await page.goto(new URL('/editor', view).href);
    const inner = page.frameLocator('iframe');
    const uses = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.localName);
    await inner.locator('article[aria-posinset]').first().waitFor();
    const message = inner.locator('.feed article').last();
    await message.focus();
    const left = await message.getAttribute('data-uid');
    await page.getByRole('textbox', { name: 'Editor' }).click();
    const told = {
      v: protocolVersion,
      kind: 'notification',
      name: 'turnEvent',
      payload: { sessionId: session().id, event: delivered('lt400', 'n1', 1, 0, 'The newest part is this one.') },
    };
    await inner.locator('body').evaluate((_, sent) => window.postMessage(JSON.parse(sent), '*'), JSON.stringify(told));
    await inner.locator('article[data-uid=n1][aria-posinset]').waitFor();
    const meanwhile = await uses();
    await page.evaluate(() => document.querySelector('iframe')?.contentWindow?.focus());
    await inner.locator(`article[data-uid=${left}]:focus`).waitFor();
    expect([meanwhile, await uses()]).toEqual(['Editor', 'iframe']);
  });

  test('offers no Retry where it is not at its end', async () => {
    await open('feed-long');
    const atEnd = await page.getByRole('button', { name: 'Retry' }).count();
    await goToStart();
    expect([atEnd, await page.getByRole('button', { name: 'Retry' }).count()]).toEqual([1, 0]);
  });
});

describe('keys', () => {
  test('move from turn to turn, from the feed with the focus and from the composer without', async () => {
    await open('feed-long');
    await page.getByRole('textbox', { name: 'Message' }).focus();
    for (let count = 0; count < 3; count++) await page.keyboard.press('Alt+PageUp');
    const [fromComposer, stays] = [await place(), await focused()];
    await scroller().focus();
    await page.keyboard.press('Alt+PageUp');
    const up = await focused();
    await page.keyboard.press('Alt+PageDown');
    const down = await focused();
    await page.keyboard.press('PageDown');
    const next = await focused();
    expect({
      fromComposer: fromComposer.uid.startsWith('lu'),
      stays,
      steps: [Number(down?.slice(2)) - Number(up?.slice(2)), next],
    }).toEqual({ fromComposer: true, stays: 'Message', steps: [1, `la${down?.slice(2)}`] });
  });

  test('walk past what is loaded', async () => {
    await open('feed-long');
    await scroller().focus();
    for (let count = 0; count < 45; count++) {
      await page.keyboard.press('Alt+PageUp');
      await untilAtRest(page);
    }
    expect(Number((await focused())?.slice(2)) < 370).toBe(true);
  });

  test('number the articles, of an unknown total while there are more', async () => {
    await open('feed-long');
    const part = await page
      .locator('.feed article')
      .first()
      .evaluate((article) => [article.getAttribute('aria-posinset'), article.getAttribute('aria-setsize')]);
    await preview.leave(page);
    await open('feed-prompt-above');
    expect([
      part,
      await page
        .locator('.feed article')
        .last()
        .evaluate((article) => [article.getAttribute('aria-posinset'), article.getAttribute('aria-setsize')]),
    ]).toEqual([
      ['1', '-1'],
      ['2', '2'],
    ]);
  });
});

describe('the prompt above', () => {
  test('is at the top while its answer is read, leads there, and is not repeated for screen readers', async () => {
    await open('feed-prompt-above', { height: 500 });
    const above = page.locator('.prompt-above');
    await above.waitFor();
    const seen = [
      await above.textContent(),
      await page.getByRole('button', { name: /Go to Prompt|Why does/ }).count(),
      (await above.boundingBox())?.height,
    ];
    await above.click();
    await above.waitFor({ state: 'detached' });
    expect([
      String(seen[0]).startsWith('You Why does upload.test.ts'),
      seen[1],
      Number(seen[2]) < 56,
      (await place()).uid,
    ]).toEqual([true, 0, true, 'u1']);
  });

  test('is gone when at most the footer of its turn is above the next prompt', async () => {
    await open('feed-long');
    const above = page.locator('.prompt-above');
    const withNextPromptAt = (pixels: number): Promise<void> =>
      page
        .locator('.turn[data-turn]')
        .nth(1)
        .evaluate((turn, offset) => {
          const scroller = turn.closest('.scroller');
          scroller?.scrollBy(0, turn.getBoundingClientRect().top - scroller.getBoundingClientRect().top - offset);
        }, pixels);
    await withNextPromptAt(300);
    await above.waitFor({ timeout: 10_000 });
    await withNextPromptAt(24);
    await above.waitFor({ state: 'detached', timeout: 10_000 });
    expect(await above.count()).toBe(0);
  });
});

describe('find', () => {
  const find = async (words: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).fill(words);
  };
  const count = () => page.getByRole('search').getByRole('status');
  const marked = (name: string) => page.evaluate((key) => [...(CSS.highlights.get(key) ?? [])].map(String), name);

  test('finds text that only the first turn has, goes there and marks it', async () => {
    await open('feed-long');
    await find('zeppelin');
    await count().getByText('2 of 2').waitFor();
    await page.keyboard.press('Enter');
    await count().getByText('1 of 2').waitFor();
    await text('lu0').waitFor();
    await page.waitForFunction(() => [...(CSS.highlights.get('hermes-find-current') ?? [])].length === 1);
    const box = await text('lu0').boundingBox();
    expect([await marked('hermes-find'), box !== null && box.y > 0 && box.y < 800, await focused()]).toEqual([
      ['zeppelin', 'zeppelin'],
      true,
      'Find',
    ]);
  });

  test('is for this view alone: the surrounding editor, which receives the keys, does not search too', async () => {
    await open('feed-long');
    await page.evaluate(() => window.addEventListener('keydown', ({ key }) => (document.title += ` ${key}`)));
    await page.getByRole('textbox', { name: 'Message' }).focus();
    const heard = await page.title();
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).waitFor();
    await page.keyboard.press('F3');
    await page.keyboard.press('Shift');
    expect(await page.title()).toBe(`${heard} Control Shift`.trim());
  });

  test('opens folded content: thinking, and tool results where these are searched', async () => {
    await open('feed-long');
    await find('balloon would');
    await count().getByText('1 of 1').waitFor();
    await text('lc2').getByText('A balloon would be lighter.').waitFor();
    await page.getByRole('textbox', { name: 'Find' }).fill('gondola');
    await count().getByText('No results').waitFor();
    await page.getByRole('button', { name: 'Search in Tool Results' }).click();
    await count().getByText('1 of 1').waitFor();
    await page.waitForFunction(
      () => [...(CSS.highlights.get('hermes-find-current') ?? [])].map(String).join() === 'gondola',
    );
    expect(
      await page
        .getByRole('group', { name: /Tool: run_command/ })
        .getByText('FAIL: gondola.test.ts')
        .count(),
    ).toBeGreaterThan(0);
  });

  test('matches case on request, and returns the focus on Escape', async () => {
    await open('feed-long');
    await find('ZEPPELIN');
    await count().getByText('2 of 2').waitFor();
    await page.getByRole('button', { name: 'Match Case' }).click();
    await count().getByText('No results').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('search').waitFor({ state: 'detached' });
    expect([await page.getByRole('search').count(), await focused(), (await marked('hermes-find')).length]).toEqual([
      0,
      'Message',
      0,
    ]);
  });

  test('marks matches that stream in, and counts them once their turn has ended', async () => {
    await open('feed-running');
    await find('submarine');
    await count().getByText('No results').waitFor();
    await delivers('n1', 1, 0, 'A sub');
    await delivers('n1', 2, 5, 'marine.');
    await page.waitForFunction(() => [...(CSS.highlights.get('hermes-find') ?? [])].map(String).join() === 'submarine');
    expect(await focused()).toBe('Find');
  });
});
