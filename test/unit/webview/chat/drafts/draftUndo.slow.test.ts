import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ChatState, ShownSession } from '../../../../../src/protocol/chatProtocol';
import { states } from '../../../../support/webviewPreview/states';
import { tell, usePreview } from '../../../../support/webviewPreview/openPreview';

const preview = usePreview();

const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const text = (page: Page): Promise<string> => field(page).inputValue();
const undo = (page: Page): Promise<void> => page.keyboard.press('Control+z');

/** Opens a state whose later parts are there. */
async function opened(name: string): Promise<Page> {
  const { page } = await preview.open(name);
  if (name === 'composer-idle') await page.getByRole('combobox', { name: 'Effort' }).waitFor();
  return page;
}

/** The state's session under another id, with this draft. */
function otherSession(draft: string): ChatState {
  const { bootstrap } = states['composer-idle'] ?? {};
  const shown = Object(bootstrap).shown as ShownSession;
  return {
    ...Object(bootstrap),
    shown: { ...shown, session: { ...shown.session, id: 'other', conversationId: 'other' }, draft },
  };
}

describe('undo in the composer', () => {
  test('brings back the draft that a suggestion replaced, then what was typed before, and redoes it', async () => {
    const page = await opened('empty-demo');
    await field(page).focus();
    await page.keyboard.type('My own prompt');
    await page.getByRole('button', { name: 'What is in this folder?' }).click();
    const suggested = await text(page);
    await undo(page);
    const back = await text(page);
    const selected = await field(page).evaluate(
      (element: HTMLTextAreaElement) => element.selectionStart === element.selectionEnd,
    );
    await page.keyboard.press('Control+Shift+z');
    const again = await text(page);
    await undo(page);
    await page.keyboard.type('!');
    const typed = await text(page);
    await undo(page);
    await undo(page);
    expect([suggested, back, selected, again, typed, await text(page)]).toEqual([
      'What is in this folder?',
      'My own prompt',
      true,
      'What is in this folder?',
      'My own prompt!',
      '',
    ]);
    await preview.leave(page);
  });

  test('brings back a command that was completed, and a prompt of the history', async () => {
    const page = await opened('composer-idle');
    await field(page).focus();
    await page.keyboard.type('/ret');
    await page.keyboard.press('Tab');
    const completed = await text(page);
    await undo(page);
    const typed = await text(page);
    await field(page).fill('');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => text(page)).not.toBe('');
    const earlier = await text(page);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => text(page)).toBe('');
    await undo(page);
    expect([completed, typed, await text(page)]).toEqual(['/retry', '/ret', earlier]);
    await preview.leave(page);
  });

  test('stays within one session: a switch ends it, and each draft is where it was', async () => {
    const page = await opened('composer-idle');
    await field(page).focus();
    await page.keyboard.type('Typed here');
    await tell(page, 'bootstrap', otherSession(''));
    await expect.poll(() => text(page)).toBe('');
    await field(page).focus();
    await undo(page);
    const empty = await text(page);
    await page.keyboard.type('Typed there');
    // A slow machine makes more than one step of what is typed.
    for (let step = 0; step < 12; step++) await undo(page);
    expect([empty, await text(page)]).toEqual(['', '']);
    await preview.leave(page);
  });

  test('does not need the focus where the text stays, as when a rewound prompt returns before it', async () => {
    const page = await opened('composer-idle');
    await field(page).focus();
    await page.keyboard.type('Mine');
    const mode = page.getByRole('combobox', { name: 'Mode', exact: true });
    await mode.focus();
    await page.evaluate(() => {
      Reflect.set(window, 'moves', []);
      document.addEventListener('focusin', (event) => Reflect.get(window, 'moves').push(String(event.target)));
    });
    await tell(page, 'shown', {
      ...Object(states['composer-idle']?.bootstrap).shown,
      changed: true,
      draft: 'Rewound\n\nMine',
    });
    await expect.poll(() => text(page)).toBe('Rewound\n\nMine');
    expect(await page.evaluate(() => Reflect.get(window, 'moves'))).toEqual([]);
    await preview.leave(page);
  });
});

describe('the caret', () => {
  test.each(['second', 'Tea'])(
    'stays behind what is typed while a sent prompt is still in the field: %j after it',
    async (next) => {
      const page = await opened('composer-idle');
      await page.evaluate(() => Reflect.get(window, 'unanswered').add('submit'));
      await field(page).focus();
      await page.keyboard.type('First');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
      const standing = await text(page);
      await page.keyboard.type(next);
      expect([standing, await text(page)]).toEqual(['First', next]);
      await preview.leave(page);
    },
  );

  test('stays where it is in a text that gets another one before it', async () => {
    const page = await opened('composer-idle');
    await field(page).focus();
    await page.keyboard.type('Mine');
    await page.keyboard.press('ArrowLeft');
    // The host has what was typed before it puts another text ahead of it.
    await expect
      .poll(() => page.evaluate(() => Object(JSON.parse(sessionStorage.getItem('draft') ?? '{}')).text))
      .toBe('Mine');
    await tell(page, 'shown', {
      ...Object(states['composer-idle']?.bootstrap).shown,
      changed: true,
      draft: 'Rewound\n\nMine',
    });
    await expect.poll(() => text(page)).toBe('Rewound\n\nMine');
    await page.keyboard.type('!');
    expect(await text(page)).toBe('Rewound\n\nMin!e');
    await preview.leave(page);
  });
});
