// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { answer, prompt, session, settledTurn, shownSession } from '../../../../support/builders/viewMessages';
import { type ChatPage, openChat } from '../chatPage';

let page: ChatPage;

const file = { kind: 'attachment', source: 'file:a.ts', label: 'a.ts', text: 'x' } as const;
const pasted = { kind: 'attachment', source: 'pasted', label: 'Pasted text', text: 'y' } as const;
const rows = [
  prompt({ uid: 'u1', position: 10 }, 'first\nof two lines'),
  answer({ uid: 'a1', position: 11 }, ['…']),
  {
    ...prompt({ uid: 'u2', position: 12 }, 'look at @a.ts'),
    parts: [{ kind: 'text' as const, text: 'look at @a.ts' }, file, pasted],
  },
  {
    ...prompt({ uid: 'u3', position: 13 }, ''),
    parts: [{ kind: 'text' as const, text: 'go on', metadata: { action: 'continue' } }],
  },
  prompt({ uid: 'u4', position: 14 }, 'again'),
  prompt({ uid: 'u5', position: 15 }, 'again'),
];

async function open(change: Parameters<typeof shownSession>[0] = {}): Promise<void> {
  page = await openChat(shownSession({ messages: rows, turns: [settledTurn()], ...change }));
  page.composer.focus();
}

/** What stands in the composer after each key. */
async function pressed(...keys: readonly string[]): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const key of keys) {
    await page.key(key);
    seen.push(page.composer.value);
  }
  return seen;
}
const chips = (): readonly string[] =>
  [...document.querySelectorAll('.composer .chip')].map(
    (chip) => chip.getAttribute('data-label') ?? chip.textContent?.trim() ?? '',
  );

describe('going through earlier prompts', () => {
  test('Up goes back, each prompt once and no continuation; Down goes forward to the empty line', async () => {
    await open();
    expect(await pressed('ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown')).toEqual([
      'again',
      'look at @a.ts',
      'first\nof two lines',
      'first\nof two lines',
      'first\nof two lines',
    ]);
    page.composer.setSelectionRange(page.composer.value.length, page.composer.value.length);
    expect(await pressed('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown')).toEqual([
      'look at @a.ts',
      'again',
      '',
      '',
    ]);
  });

  test('within several lines the arrows move the caret up to the first or the last one', async () => {
    await open();
    await pressed('ArrowUp', 'ArrowUp', 'ArrowUp');
    const caret = page.composer.selectionStart;
    const { length } = page.composer.value;
    page.composer.setSelectionRange(length, length);
    const up = await page.key('ArrowUp');
    page.composer.setSelectionRange(0, 0);
    const down = await page.key('ArrowDown');
    expect([caret, up.defaultPrevented, down.defaultPrevented, page.composer.value]).toEqual([
      5,
      false,
      false,
      'first\nof two lines',
    ]);
  });

  test("restores what can be read again, beside the draft's content; Escape restores the draft and stops nothing", async () => {
    await open({ draftParts: [pasted] });
    await pressed('ArrowUp', 'ArrowUp');
    const recalled = page.sent('saveDraft').at(-1);
    await pressed('Escape');
    expect([recalled, page.composer.value, chips().length, page.sent('stop')]).toEqual([
      {
        key: session().id,
        text: 'look at @a.ts',
        parts: [pasted, { kind: 'mention', source: 'file:a.ts', label: 'a.ts' }],
      },
      '',
      1,
      [],
    ]);
  });

  test('ends when the prompt is changed: it is then a draft, which Up leaves alone', async () => {
    await open();
    await pressed('ArrowUp');
    await page.type('again, but better');
    expect(await pressed('ArrowUp', 'ArrowDown')).toEqual(['again, but better', 'again, but better']);
  });

  test('asks the host for prompts the view lacks, further back where there are only answers', async () => {
    await open({ messages: rows.slice(0, 2), hasEarlier: true });
    await pressed('ArrowUp', 'ArrowUp');
    const asked = page.sent('promptHistory');
    await page.answer('promptHistory', { prompts: [], before: 5 });
    await page.answer('promptHistory', {
      prompts: [{ uid: 'u0', text: 'the very first', mentions: [] }],
      before: null,
    });
    await page.settle();
    const found = page.composer.value;
    expect([asked, page.sent('promptHistory').length, found, await pressed('ArrowUp')]).toEqual([
      [{ sessionId: session().id, before: 10 }],
      2,
      'the very first',
      ['the very first'],
    ]);
  });

  test('does not overwrite text typed while the host was asked', async () => {
    await open({ messages: rows.slice(0, 2), hasEarlier: true });
    await pressed('ArrowUp', 'ArrowUp');
    await page.type('mine');
    await page.answer('promptHistory', {
      prompts: [{ uid: 'u0', text: 'the very first', mentions: [] }],
      before: null,
    });
    await page.settle();
    expect(page.composer.value).toBe('mine');
  });

  test('leaves the keys to an input method', async () => {
    await open();
    await page.key('ArrowUp', { isComposing: true });
    await page.key('ArrowUp', { keyCode: 229 });
    expect(page.composer.value).toBe('');
  });
});
