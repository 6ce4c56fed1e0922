import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { protocolVersion } from '../../../src/protocol/envelope';
import type { TurnEvent } from '../../../src/transcript/turnEvent';
import { session } from '../../support/builders/viewMessages';
import { BrowserPreview } from '../../support/webviewPreview/browserPreview';
import { states } from '../../support/webviewPreview/states';

let preview: BrowserPreview;
beforeAll(async () => {
  preview = await BrowserPreview.start({ sanitizer: 'test/support/webviewPreview/sanitizerProgram.ts' });
}, 120_000);
afterAll(() => preview.close());

function tell(page: Page, event: TurnEvent): Promise<void> {
  const message = { v: protocolVersion, kind: 'notification', name: 'turnEvent', payload: { sessionId: session().id, event } };
  return page.evaluate((sent) => window.postMessage(JSON.parse(sent), '*'), JSON.stringify(message));
}

/** Streams text into the open turn of state "streaming", in pieces. */
async function stream(page: Page, text: string, size: number, uid = 'b10'): Promise<void> {
  for (let start = 0, seq = 1; start < text.length; start += size, seq++) {
    await tell(page, { kind: 'delivered', turnUid: 'turn2', chunks: [{ messageUid: uid, seq, part: 0, kind: 'text', start, text: text.slice(start, start + size) }] });
  }
}

const distanceFromEnd = (page: Page): Promise<number> =>
  page.locator('.scroller').evaluate((element) => Math.round(element.scrollHeight - element.clientHeight - element.scrollTop));

/** The first article in sight, and where it is. */
const place = (page: Page): Promise<{ uid: string; top: number }> =>
  page.locator('.scroller').evaluate((element) => {
    const edge = element.getBoundingClientRect().top;
    const seen = [...element.querySelectorAll<HTMLElement>('article[data-uid]')].find((article) => article.getBoundingClientRect().bottom > edge);
    return { uid: seen?.dataset['uid'] ?? '', top: Math.round((seen?.getBoundingClientRect().top ?? 0) - edge) };
  });

async function postedBy(page: Page, name: string): Promise<readonly unknown[]> {
  const messages: unknown = await page.evaluate(() => Reflect.get(window, 'posted'));
  const named = (message: unknown): message is { readonly payload: unknown } => typeof message === 'object' && message !== null && 'name' in message && message.name === name && 'payload' in message;
  return Array.isArray(messages) ? messages.filter(named).map((message) => message.payload) : [];
}

const rawHtml = [
  '<script>window.pwned=1</script>',
  '<img src=x onerror="window.pwned=1">',
  '<svg onload="window.pwned=1"><script>window.pwned=1</script></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror="window.pwned=1"></style></mglyph></table></mtext></math>',
  '<a href="javascript:window.pwned=1">x</a><a data-href="src/a.ts" style="position:fixed;inset:0" onclick="window.pwned=1">y</a>',
  '<style>@import "https://evil.test/a.css"; body{background:url(https://evil.test/b.png)}</style>',
  '<link rel=stylesheet href="https://evil.test/c.css"><base href="https://evil.test/">',
  '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe><object data="https://evil.test/d"></object><embed src="https://evil.test/e">',
  '<form action="https://evil.test/f"><input type=submit name=ownerDocument><button formaction="javascript:window.pwned=1">z</button></form>',
  '<meta http-equiv=refresh content="0;url=https://evil.test/g"><video src="https://evil.test/h" poster="https://evil.test/i"></video>',
  '<p id=root class="hljs-x" name=posted>kept</p><details open ontoggle="window.pwned=1">w</details>',
  '<noscript><p title="</noscript><img src=x onerror=window.pwned=1>"></noscript>',
  '<template><script>window.pwned=1</script></template><xmp><script>window.pwned=1</script></xmp>',
];

const hostileMarkdown = [
  ...rawHtml,
  '[a](javascript:window.pwned=1) [b](command:workbench.action.quit) [c](vscode://x) [d](data:text/html,x) ![e](https://evil.test/j.png) <javascript:window.pwned=1>',
  '![f](data:image/svg+xml,<svg onload=window.pwned=1>) [g](java\u0000script:window.pwned=1) [h]( "onmouseover=window.pwned=1)',
  '```html"><img src=x onerror=window.pwned=1>\n<img src=x onerror=window.pwned=1>\n```',
  '[r]: javascript:window.pwned=1 "x"\n\n[r] ![r]',
  `|${' a |'.repeat(400)}\n|${'---|'.repeat(400)}\n|${' b |'.repeat(400)}`,
  'evil\u202egnp.exe\u2066 zero\u200bwidth',
].join('\n\n');

/** What would hang a parser; shown as plain text. */
const endless = ['> '.repeat(3000), '['.repeat(5000), 'x'.repeat(1_000_000), '<img src=x onerror=window.pwned=1>'].join('\n\n');

const allowed = /^(a|blockquote|br|button|code|del|div|em|h[1-6]|hr|input|li|ol|p|pre|span|strong|table|tbody|td|th|thead|tr|ul)$/;

describe('hostile text', () => {
  test('executes nothing, loads nothing and brings no element of its own, streamed or stored', async () => {
    const { page, problems, strays } = await preview.open('streaming');
    await stream(page, hostileMarkdown, 100);
    await stream(page, endless, 40_000, 'b11');
    await page.locator('article[data-uid=b11] .markdown').waitFor();
    await page.waitForTimeout(200);
    const found = await page.getByRole('feed').evaluate((feed) => {
      const body = document.createElement('div');
      for (const text of feed.querySelectorAll('[data-uid=b10] .markdown, [data-uid=b11] .markdown')) body.append(text.cloneNode(true));
      const elements = [...body.querySelectorAll('*')];
      const attributes = elements.flatMap((element) => [...element.attributes].map((attribute) => attribute.name));
      return { names: [...new Set(elements.map((element) => element.tagName.toLowerCase()))], attributes: [...new Set(attributes)], pwned: Reflect.get(window, 'pwned'), text: body.textContent ?? '' };
    });
    const links = await page.locator('article[data-uid=b10] a').evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute('data-href')));
    await page.close();
    expect({
      strange: found.names.filter((name) => !allowed.test(name)),
      codeAsText: found.text.split('onerror=').length > 5,
      dangerous: found.attributes.filter((name) => /^on|^(href|src|style|id|name|action|formaction|srcdoc)$/.test(name)),
      pwned: found.pwned,
      links,
      problems,
      strays,
    }).toEqual({ strange: [], codeAsText: true, dangerous: [], pwned: undefined, links: ['https://evil.test/j.png', '"onmouseover=window.pwned=1'], problems: [], strays: [] });
  });

  test('does not pass the sanitiser even when it is given as HTML', async () => {
    const { page, strays } = await preview.open('complete');
    await page.evaluate(preview.source('sanitizer'));
    const found = await page.evaluate((pieces) => {
      const sanitize: unknown = Reflect.get(window, 'sanitizedFragment');
      if (typeof sanitize !== 'function') throw new Error('The sanitiser is not there');
      const body = document.body.appendChild(document.createElement('div'));
      for (const piece of pieces) body.append(sanitize(piece));
      const elements = [...body.querySelectorAll('*')];
      return { names: elements.map((element) => element.tagName.toLowerCase()), attributes: elements.flatMap((element) => [...element.attributes].map((attribute) => `${attribute.name}=${attribute.value}`)), text: body.textContent };
    }, rawHtml);
    await page.waitForTimeout(200);
    const pwned = await page.evaluate(() => Reflect.get(window, 'pwned'));
    await page.close();
    expect({ ...found, names: found.names.filter((name) => !allowed.test(name)), text: found.text?.includes('kept'), pwned, strays }).toEqual({
      names: [],
      attributes: ['data-href=src/a.ts', 'type=submit', 'class=hljs-x'],
      text: true,
      pwned: undefined,
      strays: [],
    });
  });
});

describe('links', () => {
  test('are opened by the host, never followed by the page', async () => {
    const { page } = await preview.open('complete');
    const link = page.getByRole('link', { name: 'src/upload.ts:42' });
    await link.click();
    await link.click({ button: 'middle' });
    await link.focus();
    await page.keyboard.press('Enter');
    const [opened, at] = [await postedBy(page, 'openLink'), new URL(page.url()).pathname];
    await page.close();
    expect([opened, at]).toEqual([[{ href: 'src/upload.ts:42' }, { href: 'src/upload.ts:42' }], '/view/chat']);
  });
});

describe('scrolling', () => {
  test('follows the text at the end, leaves the reader alone elsewhere, and comes back at the press of a button', async () => {
    const { page } = await preview.open('streaming', { height: 500 });
    await stream(page, 'Line of text.\n\n'.repeat(30), 60);
    await page.waitForTimeout(150);
    const following = await distanceFromEnd(page);
    await page.locator('.scroller').hover();
    await page.mouse.wheel(0, -600);
    await page.waitForTimeout(150);
    const before = await place(page);
    await stream(page, 'More of it.\n\n'.repeat(20), 60, 'b11');
    await page.waitForTimeout(150);
    const after = await place(page);
    await page.getByRole('button', { name: /Jump to latest, 1 new/ }).click();
    await page.waitForTimeout(100);
    const returned = await distanceFromEnd(page);
    await page.close();
    expect([following, after, returned]).toEqual([0, before, 0]);
  });

  test('goes to a message that was asked for, marks it, and stays there; a row without a place of its own is shown by its turn', async () => {
    const { page } = await preview.open('long', { height: 600 });
    const reveal = async (messageUid: string, turnUid: string): Promise<unknown> => {
      const message = { v: protocolVersion, kind: 'notification', name: 'reveal', payload: { messageUid, turnUid } };
      await page.evaluate((sent) => window.postMessage(JSON.parse(sent), '*'), JSON.stringify(message));
      await page.waitForTimeout(300);
      return page.evaluate(() => {
        const article = document.activeElement instanceof HTMLElement ? document.activeElement : null;
        const top = article?.getBoundingClientRect().top ?? -1;
        return [article?.dataset['uid'], article !== null && 'revealed' in article.dataset, top > 0 && top < 450];
      });
    };
    const seen = [await reveal('la9', 'lt9'), await reveal('a-tool-row', 'lt30'), await reveal('lu2', 'lt2'), await reveal('la39', 'lt39')];
    await page.close();
    expect(seen).toEqual([['la9', true, true], ['lu30', true, true], ['lu2', true, true], ['la39', true, true]]);
  });

  test('lets go at a small turn of the wheel in the middle of a fast stream', async () => {
    const { page } = await preview.open('streaming', { height: 500 });
    await page.locator('.scroller').hover();
    const streaming = stream(page, 'A line that comes fast.\n\n'.repeat(150), 12);
    await page.getByText('A line that comes fast.').nth(5).waitFor();
    await page.mouse.wheel(0, -6);
    await streaming;
    await page.waitForTimeout(150);
    const distance = await distanceFromEnd(page);
    await page.close();
    expect(distance).toBeGreaterThan(200);
  });

  test('holds the place when earlier messages are loaded in front', async () => {
    const { page } = await preview.open('long', { height: 600 });
    await page.locator('.scroller').evaluate((element) => (element.scrollTop = 230));
    // The page that is fetched now takes a moment to come (page.ts): long enough for the turns in sight to be laid out, which were only estimated.
    await page.waitForTimeout(150);
    const before = await place(page);
    await page.locator('article[data-uid="lu-40"]').waitFor({ state: 'attached' });
    await page.waitForTimeout(200);
    const after = await place(page);
    await page.close();
    expect(after.uid).toBe(before.uid);
    // What is scrolled to is rounded to whole pixels.
    expect(Math.abs(after.top - before.top)).toBeLessThanOrEqual(1);
  });

  test('is where it was after a reload, as are folds and the draft', async () => {
    const { page } = await preview.open('long', { height: 600 });
    await page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
    await page.locator('.scroller').evaluate((element) => (element.scrollTop = 2000));
    await page.waitForTimeout(300);
    const before = await place(page);
    await page.reload();
    await page.locator('article').first().waitFor();
    await page.waitForTimeout(200);
    const after = [await place(page), await page.getByRole('textbox', { name: 'Message' }).inputValue()];
    await page.close();
    expect(after).toEqual([before, 'half a thought']);
  });
});

describe('accessibility', () => {
  test.each(Object.keys(states))('axe finds nothing in state %s', async (name) => {
    const { page, problems } = await preview.open(name);
    await page.waitForTimeout(250);
    await page.evaluate(axe.source);
    const results = await page.evaluate(async () => {
      const run: unknown = Reflect.get(window, 'axe');
      if (typeof run !== 'object' || run === null || !('run' in run) || typeof run.run !== 'function') throw new Error('axe is not there');
      const { violations } = await run.run(document, { resultTypes: ['violations'] });
      return violations.map((violation: { id: string; nodes: { html: string }[] }) => `${violation.id}: ${violation.nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
    });
    await page.close();
    expect([results, problems]).toEqual([[], []]);
  });
});
