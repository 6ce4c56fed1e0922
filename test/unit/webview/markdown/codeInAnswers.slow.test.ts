import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { untilAtRest } from '../../../support/webviewPreview/browserPreview';
import { codeText } from '../../../support/webviewPreview/codeStates';
import { posted, tellTurn, usePreview } from '../../../support/webviewPreview/openPreview';
import { delivered } from '../../../support/builders/viewMessages';

const preview = usePreview();

const codeOf = (page: Page, nth: number) => page.locator('.code-block').nth(nth);

describe('code in an answer', () => {
  test('is inserted, applied, made a file, run and copied by the host, with the text after its fence', async () => {
    const { page } = await preview.open('code');
    const press = (nth: number, name: string): Promise<void> => codeOf(page, nth).getByRole('button', { name }).click();
    await codeOf(page, 1).getByRole('toolbar', { name: 'Code' }).waitFor();
    for (const name of ['Insert at Cursor', 'Apply to File…', 'New File', 'Run in Terminal', 'Copy Code'])
      await press(1, name);
    await press(0, 'Apply to File…');
    const [inShell, inCode] = [
      await codeOf(page, 1).getByRole('button').count(),
      await codeOf(page, 0).getByRole('button', { name: 'Run in Terminal' }).count(),
    ];
    const sent = await posted(page, 'insertCode', 'applyCode', 'newCodeFile', 'runCode', 'copy');
    await preview.leave(page);
    const code = 'npm test -- upload';
    expect([inShell, inCode, sent.slice(0, 5)]).toEqual([
      6,
      0,
      [
        ['insertCode', { code }],
        ['applyCode', { code, info: 'bash' }],
        ['newCodeFile', { code, info: 'bash' }],
        ['runCode', { code, info: 'bash' }],
        ['copy', { text: code }],
      ],
    ]);
    expect(sent[5]).toMatchObject(['applyCode', { info: 'ts title="src/upload.ts"' }]);
  });

  test('adds nothing to the text of the answer', async () => {
    const { page } = await preview.open('code');
    await codeOf(page, 0).getByRole('toolbar').waitFor();
    await page.getByRole('link', { name: 'waitBefore' }).waitFor();
    const text = await page.locator('.answer-text').innerText();
    const seen = await page.locator('.answer-text').evaluate((body) => body.textContent?.replace(/\s+/g, ' ').trim());
    await preview.leave(page);
    const words = codeText
      .replace(/^[ >]*```.*$/gm, '')
      .replace(/^> ?/gm, '')
      .replace(/^- /gm, '')
      .replace(/`/g, '')
      .replace(/\s+/g, ' ')
      .trim();
    expect([seen, text.includes('Copy')]).toEqual([words, false]);
  });

  test('can be reached by the keyboard: one Tab stop, arrow keys move inside', async () => {
    const { page } = await preview.open('code');
    const bar = codeOf(page, 1).getByRole('toolbar');
    await bar.waitFor();
    const focused = (): Promise<string | null> =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName ?? null,
      );
    await codeOf(page, 0).locator('pre').focus();
    const seen: (string | null)[] = [];
    for (const key of ['Tab', 'ArrowRight', 'End', 'ArrowRight', 'ArrowLeft', 'Tab', 'Shift+Tab', 'Enter']) {
      await page.keyboard.press(key);
      seen.push(await focused());
    }
    const visible = await bar.evaluate((element) => getComputedStyle(element).opacity);
    const copied = await posted(page, 'copy');
    await preview.leave(page);
    expect([seen, visible, copied.length]).toEqual([
      ['Wrap Lines', 'Insert at Cursor', 'Copy Code', 'Wrap Lines', 'Copy Code', 'PRE', 'Copy Code', 'Copy Code'],
      '1',
      1,
    ]);
  });

  test('has its buttons only when it is closed', async () => {
    const { page } = await preview.open('streaming');
    const [opening, rest] = ['```ts\nconst a = 1;\n', '```\n\nDone.'];
    await tellTurn(page, delivered('turn2', 'open1', 1, 0, opening));
    const block = page.locator('article[data-uid=open1] .code-block');
    await block.waitFor();
    await untilAtRest(page);
    const [language, before] = [
      await block.locator('.code-head').getAttribute('data-language'),
      await block.getByRole('button').count(),
    ];
    await tellTurn(page, delivered('turn2', 'open1', 2, opening.length, rest));
    await block.getByRole('button', { name: 'Copy Code' }).waitFor();
    await preview.leave(page);
    expect([language, before]).toEqual(['ts', 0]);
  });
});

describe('names in an answer', () => {
  test('lead to files and symbols that the host knows, requested together, and to nothing else', async () => {
    const { page } = await preview.open('code');
    await page.getByRole('link', { name: 'waitBefore' }).click();
    await page.getByRole('link', { name: 'Clock.sleep()' }).press('Enter');
    await page.getByRole('link', { name: 'upload.test.ts line 7' }).click();
    const links = await page.getByRole('link').allInnerTexts();
    const sent = await posted(page, 'resolveReferences', 'openSymbol', 'openLink');
    await preview.leave(page);
    expect(links).toEqual([
      'src/upload.ts:42',
      'waitBefore',
      'Clock.sleep()',
      'src/upload.ts',
      'upload.test.ts line 7',
    ]);
    expect(sent).toEqual([
      [
        'resolveReferences',
        {
          texts: [
            'src/upload.ts:42',
            'waitBefore',
            'Clock.sleep()',
            'setTimeout',
            'src/upload.ts',
            'upload.test.ts line 7',
          ],
        },
      ],
      ['openSymbol', { name: 'waitBefore' }],
      ['openSymbol', { name: 'Clock.sleep()' }],
      ['openLink', { href: 'test/upload.test.ts:7' }],
    ]);
  });

  test('of places elsewhere show the host they really lead to', async () => {
    const { page } = await preview.open('markdown');
    const link = page.getByRole('link', { name: 'github.com' });
    await page.locator('a[data-host]').first().waitFor();
    const seen = [
      await link.getAttribute('title'),
      await link.getAttribute('data-host'),
      await link.textContent(),
      await page.getByRole('link', { name: 'the manual' }).getAttribute('data-host'),
      await page.getByRole('link', { name: 'bank.example' }).getAttribute('data-host'),
    ];
    await preview.leave(page);
    expect(seen).toEqual(['https://evil.example/login', 'evil.example', 'github.com', null, 'bank.example']);
  });
});
