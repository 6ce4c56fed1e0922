// @vitest-environment happy-dom
import { act } from 'preact/test-utils';
import { describe, expect, test } from 'vitest';
import type { FoundMentions, Mention } from '../../../../../src/protocol/attachmentProtocol';
import type { DraftPart, SentPart } from '../../../../../src/transcript/draftPart';
import {
  answer,
  modelRow,
  prompt,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../../../../support/builders/viewMessages';
import { type ChatPage, openChat } from '../chatPage';
import { all, find, nameOf, names } from '../../elements';

let page: ChatPage;

const idle = shownSession({ messages: [prompt({ uid: 'u1', position: 1 }, 'before')], turns: [settledTurn()] });
const file: DraftPart = { kind: 'mention', source: 'file:src/upload.ts', label: 'src/upload.ts' };
const code: SentPart = { kind: 'attachment', label: 'src/a.ts:1-2', source: 'file:src/a.ts:1-2', text: 'one\ntwo' };
const picture: SentPart = { kind: 'image', mediaType: 'image/png', dataBase64: 'iVBORw==', name: 'shot.png' };
const found: readonly Mention[] = [
  { kind: 'file', source: 'file:src/upload.ts', label: 'src/upload.ts', detail: 'src' },
  { kind: 'file', source: 'file:test/upload.test.ts', label: 'test/upload.test.ts', detail: 'test' },
  { kind: 'selection', source: 'selection', label: 'Selection', detail: 'src/a.ts:1-2' },
];

async function open(
  shown: typeof idle | null = idle,
  change: Parameters<ChatPage['bootstrap']>[1] = {},
): Promise<void> {
  page = await openChat(shown, change);
  page.composer.focus();
}

const chips = (): readonly string[] =>
  [...document.querySelectorAll('.composer .chip-label')].map((chip) => chip.textContent ?? '');
const savedParts = (): unknown => page.sent('saveDraft').at(-1);

async function paste(formats: Readonly<Record<string, string>>, files: readonly File[] = []): Promise<Event> {
  const event = new Event('paste', { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'clipboardData', {
    value: { types: Object.keys(formats), files, getData: (format: string) => formats[format] ?? '' },
  });
  await act(() => void page.composer.dispatchEvent(event));
  await page.settle();
  return event;
}

async function drag(
  kind: string,
  formats: Readonly<Record<string, string>>,
  files: readonly File[] = [],
): Promise<Event> {
  const event = new Event(kind, { bubbles: true, cancelable: true });
  const types = [...Object.keys(formats), ...(files.length > 0 ? ['Files'] : [])];
  Object.defineProperty(event, 'dataTransfer', {
    value: { types, files, getData: (format: string) => formats[format] ?? '', dropEffect: 'none' },
  });
  await act(() => void document.dispatchEvent(event));
  await page.settle();
  return event;
}

const whole = (mentions: readonly Mention[]): FoundMentions => ({ mentions, isWhole: true });

describe('the current file', () => {
  test('is offered as the first tab stop after the field, attached by a press, and never sent before that', async () => {
    await open();
    await page.tell('currentFile', { kind: 'file', source: file.source, label: file.label });
    await page.type('Look');
    const chip = find('button', `Attach ${file.label}`);
    const stops = [...document.querySelectorAll<HTMLElement>('.composer button, .composer textarea')];
    const next = stops[stops.indexOf(page.composer) + 1];
    await page.key('Enter');
    const without = page.submitted();
    await page.answer('submit', { kind: 'started', sessionId: session().id });
    await page.click(chip);
    const focused = document.activeElement;
    expect([
      next === chip,
      without,
      chips(),
      page.composer.value,
      names('button').includes(`Attach ${file.label}`),
      focused === page.composer,
    ]).toEqual([true, [{ sessionId: session().id, uid: 'uid1', text: 'Look' }], [file.label], '', false, true]);
  });

  test('is offered again once it is removed, and follows the editor; a selection is read at once', async () => {
    await open();
    await page.tell('currentFile', { kind: 'selection', source: 'selection', label: 'README.md:10-20' });
    await page.press('Attach README.md:10-20');
    const asked = page.sent('pin');
    await page.answer('pin', { kind: 'attachment', source: 'selection', label: 'README.md:10-20', text: 'x' });
    const attached = [chips(), names('button').includes('Attach README.md:10-20')];
    await page.press('Remove README.md:10-20');
    const removed = [chips(), names('button').includes('Attach README.md:10-20')];
    await page.tell('currentFile', null);
    expect([asked, attached, removed, names('button').includes('Attach README.md:10-20')]).toEqual([
      [{ source: 'selection' }],
      [['README.md:10-20'], false],
      [[], true],
      false,
    ]);
  });
});

describe('a mention', () => {
  test('is searched for after an "@" and picked by keyboard: its words are in the text, and it is sent with the prompt', async () => {
    await open();
    await page.type('Look at @upl');
    await page.answer('mentions', whole(found));
    await page.key('ArrowDown');
    await page.key('ArrowUp');
    const list = [
      page.sent('mentions'),
      names('listbox'),
      page.composer.getAttribute('aria-activedescendant'),
      page.composer.getAttribute('aria-controls'),
      all('option').map((option) => option.getAttribute('aria-selected')),
    ];
    const enter = await page.key('Enter');
    const picked = [
      page.composer.value,
      chips(),
      savedParts(),
      names('option'),
      enter.defaultPrevented,
      page.composer.selectionStart,
    ];
    await page.key('Enter');
    await page.answer('submit', { kind: 'started', sessionId: session().id });
    expect({ list, picked, sent: page.submitted(), after: [page.composer.value, chips(), savedParts()] }).toEqual({
      list: [[{ text: 'upl', limit: 30 }], ['Mentions'], 'mention-0', 'mention-list', ['true', 'false', 'false']],
      picked: [
        'Look at @src/upload.ts ',
        ['src/upload.ts'],
        { key: session().id, text: 'Look at @src/upload.ts ', parts: [file] },
        [],
        true,
        23,
      ],
      sent: [{ sessionId: session().id, uid: 'uid1', text: 'Look at @src/upload.ts ', parts: [file] }],
      after: [
        '',
        [],
        {
          key: session().id,
          text: '',
          parts: [],
          sent: [{ uid: 'uid1', text: 'Look at @src/upload.ts ', parts: [file] }],
        },
      ],
    });
  });

  test('is picked when it arrives, with the text typed after that Enter, and the caret after that', async () => {
    await open();
    await page.type('see @upl');
    await page.key('Enter');
    await page.type('see @uplx');
    await page.answer('mentions', whole(found));
    expect([page.composer.value, page.composer.selectionStart, chips(), page.sent('mentions').length]).toEqual([
      'see @src/upload.ts x',
      20,
      ['src/upload.ts'],
      1,
    ]);
  });

  test('does not exist where nothing is found: Enter sends the text', async () => {
    await open();
    await page.type('thanks @bob');
    await page.answer('mentions', whole([]));
    const said = all('status').map(nameOf);
    await page.key('Enter');
    expect([said.includes('No match'), page.submitted()]).toEqual([
      true,
      [{ sessionId: session().id, uid: 'uid1', text: 'thanks @bob' }],
    ]);
  });

  test('is abandoned with Escape, which stops nothing, until another one is begun', async () => {
    await open({ ...idle, openTurn: runningTurn() });
    await page.type('@upl');
    await page.answer('mentions', whole(found));
    await page.key('Escape');
    const closed = [names('listbox'), page.sent('stop')];
    await page.type('@uplo');
    const still = page.sent('mentions').length;
    await page.type('@uplo @a');
    expect([closed, still, page.sent('mentions').length]).toEqual([[[], []], 1, 2]);
  });

  test('is answered only by the newest request', async () => {
    await open();
    await page.type('@u');
    await page.type('@up');
    await page.answer('mentions', whole([{ kind: 'git', source: 'git:diff', label: 'Old', detail: '' }]));
    const early = names('option');
    await page.answer('mentions', whole(found));
    expect([early, all('option').length]).toEqual([[], 3]);
  });

  test('is offered from known results at once; the rest comes after them, and the active one stays', async () => {
    await open();
    await page.type('@upl');
    await page.answer('mentions', { mentions: found.slice(0, 2), isWhole: false });
    const early = all('option').length;
    await page.key('ArrowDown');
    await page.settle();
    await page.answer('mentions', whole([...found.slice(2), ...found.slice(0, 2)]));
    const active = all('option').map((option) => option.getAttribute('aria-selected'));
    expect([early, active, page.sent('mentions')]).toEqual([
      2,
      ['false', 'false', 'true'],
      [
        { text: 'upl', limit: 30 },
        { text: 'upl', limit: 30, whole: true },
      ],
    ]);
  });

  test('is neither missing nor sent as text while the rest is still searched for', async () => {
    await open();
    await page.type('@upl');
    await page.answer('mentions', { mentions: [], isWhole: false });
    const said = names('status').includes('No match');
    await page.key('Enter');
    await page.settle();
    await page.answer('mentions', whole(found));
    await page.settle();
    expect([said, page.submitted(), page.composer.value]).toEqual([
      false,
      [],
      expect.stringContaining(found[0]?.label ?? '?'),
    ]);
  });

  test('is grouped by kind, named where there are several kinds; the arrows follow the displayed order', async () => {
    await open();
    await page.type('@upl');
    const symbol: Mention = {
      kind: 'symbol',
      source: 'symbol:src/upload.ts:1#upload',
      label: 'upload',
      detail: 'function',
    };
    const [first, ...others] = found;
    await page.answer('mentions', whole([...(first === undefined ? [] : [first]), symbol, ...others]));
    const groups = all('group')
      .filter((group) => group.closest('[role=listbox]') !== null)
      .map((group) => [nameOf(group), group.querySelectorAll('[role=option]').length]);
    await page.key('ArrowDown');
    await page.key('ArrowDown');
    const active = document.querySelector('[aria-selected=true]');
    expect([groups, active?.id, active?.getAttribute('title')]).toEqual([
      [
        ['Files and Folders', 2],
        ['Symbols', 1],
        ['In the Editor', 1],
      ],
      'mention-2',
      'upload',
    ]);
    await page.type('@uplo');
    await page.answer('mentions', whole([symbol]));
    expect(all('group').filter((group) => group.closest('[role=listbox]') !== null)).toEqual([]);
  });

  test('leaves keys to an input method', async () => {
    await open();
    await page.type('@upl');
    await page.answer('mentions', whole(found));
    const pressed = await page.key('Enter', { isComposing: true });
    expect([pressed.defaultPrevented, page.composer.value, page.submitted()]).toEqual([false, '@upl', []]);
  });

  test('is removed when its words are deleted', async () => {
    await open({ ...idle, draft: 'see @src/upload.ts now', draftParts: [file, code] });
    await page.type('see @src/upload.t now');
    const deleted = chips();
    await page.type('see @src/upload.ts now');
    expect([deleted, chips()]).toEqual([['src/a.ts:1-2'], ['src/a.ts:1-2', 'src/upload.ts']]);
  });

  test('of a selection is read at once', async () => {
    await open();
    await page.type('@');
    await page.answer('mentions', whole(found));
    await page.key('ArrowUp');
    await page.key('Tab');
    await page.answer('pin', code);
    expect([page.sent('pin'), page.composer.value, chips()]).toEqual([
      [{ source: 'selection' }],
      '@Selection ',
      ['src/a.ts:1-2'],
    ]);
  });
});

describe('attachments of a prompt', () => {
  test('are a list of chips that are removed by button, Delete or Backspace, each announced', async () => {
    await open({ ...idle, draftParts: [file, code, picture] });
    const listed = [
      names('list').includes('Attachments'),
      chips(),
      names('button').filter((name) => name.startsWith('Remove ')),
    ];
    await page.press('Remove src/a.ts:1-2');
    const byButton = [chips(), document.activeElement === page.composer];
    document.querySelector<HTMLElement>('.composer .chip-open')?.focus();
    await page.key('Delete');
    const byDelete = [chips(), document.activeElement?.textContent];
    page.composer.focus();
    await page.key('Backspace', { repeat: true });
    const held = chips();
    await page.key('Backspace');
    expect({
      listed,
      byButton,
      byDelete,
      held,
      left: chips(),
      saved: savedParts(),
      said: all('status').map(nameOf),
    }).toEqual({
      listed: [
        true,
        ['src/upload.ts', 'src/a.ts:1-2', 'shot.png'],
        ['Remove src/upload.ts', 'Remove src/a.ts:1-2', 'Remove shot.png'],
      ],
      byButton: [['src/upload.ts', 'shot.png'], true],
      byDelete: [['shot.png'], 'shot.png'],
      held: ['shot.png'],
      left: [],
      saved: { key: session().id, text: '', parts: [] },
      said: ['Removed: shot.png'],
    });
  });

  test('may be sent without a word, stay when refused, and are sent again as the same prompt', async () => {
    await open({ ...idle, draftParts: [picture] });
    await page.press('Send');
    await page.refuse('submit', 'src/gone.ts cannot be read. Nothing was sent.', 'mention');
    const refused = [chips(), names('alert')];
    await page.key('Enter');
    await page.answer('submit', { kind: 'started', sessionId: session().id });
    const once = { sessionId: session().id, uid: 'uid1', text: '', parts: [picture] };
    expect([refused, page.submitted(), chips()]).toEqual([
      [['shot.png'], ['src/gone.ts cannot be read. Nothing was sent.']],
      [once, once],
      [],
    ]);
  });

  test('stay where they were attached while the prompt was on its way', async () => {
    await open({ ...idle, draft: 'Do it', draftParts: [picture] });
    await page.key('Enter');
    await page.tell('insertPrompt', { text: '', parts: [code] });
    await page.answer('submit', { kind: 'started', sessionId: session().id });
    expect([page.composer.value, chips(), savedParts()]).toEqual([
      '',
      ['src/a.ts:1-2'],
      { key: session().id, text: '', parts: [code], sent: [{ uid: 'uid1', text: 'Do it', parts: [picture] }] },
    ]);
  });

  test('are in the composer again after a reload, in the empty state too', async () => {
    await open(null, { newDraft: 'half', newDraftParts: [code] });
    expect([page.composer.value, chips(), page.sent('saveDraft')]).toEqual(['half', ['src/a.ts:1-2'], []]);
  });

  test('warn where the model takes no images, and offer another one', async () => {
    await open(
      { ...idle, draftParts: [picture] },
      { model: { chosen: modelRow({ images: false, label: 'tiny' }), problem: null } },
    );
    const said = all('status')
      .map(nameOf)
      .filter((words) => words.includes('can’t see images'));
    await page.press('Choose Another Model');
    expect([said, names('dialog')]).toEqual([['tiny can’t see images. Choose Another Model'], ['Choose a Model']]);
  });

  test('open to their text, and close with Escape without stopping anything', async () => {
    await open({ ...idle, draftParts: [code], openTurn: runningTurn() });
    await page.press('src/a.ts:1-2');
    const shown = find('region', 'Preview of src/a.ts:1-2').textContent;
    find('button', 'src/a.ts:1-2').focus();
    await page.key('Escape');
    expect([shown, names('region'), page.sent('stop')]).toEqual(['one\ntwo', [], []]);
  });
});

describe('Attach', () => {
  test('is a keyboard menu that returns the focus', async () => {
    await open();
    await page.press('Attach');
    const items = names('menuitem');
    const first = document.activeElement?.textContent;
    await page.key('ArrowUp');
    const last = document.activeElement?.textContent;
    await page.key('g');
    const letter = document.activeElement?.textContent;
    await page.key('Escape');
    expect({
      items,
      first,
      last,
      letter,
      closed: names('menu'),
      focus: nameOf(document.activeElement ?? document.body),
    }).toEqual({
      items: ['File…', 'Selection', 'Problems', 'Terminal Output', 'Git Changes', 'Image…'],
      first: 'File…',
      last: 'Image…',
      letter: 'Git Changes',
      closed: [],
      focus: 'Attach',
    });
  });

  test('attaches what the host picks, and names what could not be attached', async () => {
    await open();
    await page.press('Attach');
    await page.click(find('menuitem', 'File…'));
    await page.answer('attachFiles', { parts: [code], problems: ['program is not a text.'] });
    await page.press('Attach');
    await page.click(find('menuitem', 'Problems'));
    await page.press('Attach');
    await page.click(find('menuitem', 'Problems'));
    const taken = [chips(), names('alert')];
    await page.press('Attach');
    await page.click(find('menuitem', 'Selection'));
    await page.answer('pin', { kind: 'problem', problem: 'Nothing is selected.' });
    expect([taken, chips(), names('alert')]).toEqual([
      [['src/a.ts:1-2', 'Problems'], ['program is not a text.']],
      ['src/a.ts:1-2', 'Problems'],
      ['Nothing is selected.'],
    ]);
  });
});

describe('pasted content', () => {
  test('is attached if it is an image, and goes into the field if it is a short text', async () => {
    await open();
    const image = await paste({}, [new File([new Uint8Array([137, 80, 78, 71])], 'shot.png', { type: 'image/png' })]);
    const text = await paste({ 'text/plain': 'short' });
    expect([image.defaultPrevented, text.defaultPrevented, chips(), savedParts()]).toEqual([
      true,
      false,
      ['shot.png'],
      { key: session().id, text: '', parts: [picture] },
    ]);
  });

  test.each(['by its button', 'by undoing'])(
    'is attached if it is long, and becomes text again %s, at the caret',
    async (way) => {
      await open();
      await page.type('ahead  behind');
      page.composer.setSelectionRange(6, 6);
      const long = 'x'.repeat(10_001);
      await paste({ 'text/plain': long });
      const attached = [chips(), page.composer.value];
      if (way === 'by undoing') await page.key('z', { ctrlKey: true });
      else await page.press('Paste as Text');
      expect([attached, chips(), page.composer.value === `ahead ${long} behind`, page.composer.selectionStart]).toEqual(
        [[['Pasted text'], 'ahead  behind'], [], true, 10_007],
      );
    },
  );
});

describe('dropped content', () => {
  test('from the editor is read by the host', async () => {
    await open();
    const over = await drag('dragover', { 'text/uri-list': '' });
    const overlay = document.querySelector('.drop-overlay')?.textContent;
    await drag('drop', { 'text/uri-list': 'file:///w/a.ts\r\nfile:///w/src' });
    await page.answer('dropped', {
      parts: [code, { kind: 'mention', source: 'folder:src', label: 'src/' }],
      problems: [],
    });
    expect([
      over.defaultPrevented,
      overlay,
      page.sent('dropped'),
      chips(),
      document.querySelector('.drop-overlay'),
    ]).toEqual([
      true,
      'Drop to attachHold Shift to drop files from VS Code here.',
      [{ uris: ['file:///w/a.ts', 'file:///w/src'] }],
      ['src/a.ts:1-2', 'src/'],
      null,
    ]);
  });

  test('from the system is read in the view', async () => {
    await open();
    const files = [
      new File(['hello'], 'a.txt', { type: 'text/plain' }),
      new File(['x'], 'a.bmp', { type: 'image/bmp' }),
    ];
    await drag('dragover', {}, files);
    await drag('drop', {}, files);
    expect([chips(), names('alert')]).toEqual([
      ['a.txt'],
      ['a.bmp wasn’t attached. Images must be PNG, JPEG, GIF, or WebP.'],
    ]);
  });
});

describe('a prompt that was sent', () => {
  const carrying = {
    ...prompt({ uid: 'u1', position: 1 }, 'Why?'),
    parts: [{ kind: 'text' as const, text: 'Why?' }, code, picture],
  };
  const asked = shownSession({
    messages: [carrying, answer({ uid: 'a1', position: 2 }, ['So.'])],
    turns: [settledTurn()],
  });

  test('shows its attachments', async () => {
    await open(asked);
    const card = document.querySelector('article .prompt');
    expect([
      [...(card?.querySelectorAll('.chip-label') ?? [])].map((chip) => chip.textContent),
      card?.querySelector('[data-part=text]')?.textContent,
      names('button').filter((name) => name.startsWith('Remove ')),
    ]).toEqual([['src/a.ts:1-2', 'shot.png'], 'Why?', []]);
  });

  test('keeps them when it is edited, unless they are removed', async () => {
    await open(asked);
    await page.press('Edit & Resend');
    await page.press('Resend');
    await page.refuse('editAndResend', 'No.');
    await page.press('Remove src/a.ts:1-2');
    const remembered = page.memory.edits;
    await page.press('Resend');
    await page.answer('editAndResend', { sessionId: session().id, notice: null });
    expect([page.sent('editAndResend'), remembered]).toEqual([
      [
        { turnUid: 'turn1', text: 'Why?', uid: 'uid1' },
        { turnUid: 'turn1', text: 'Why?', uid: 'uid2', parts: [picture] },
      ],
      [{ turnUid: 'turn1', text: 'Why?', without: [0] }],
    ]);
  });

  test('is saved by Save when it is edited in the queue', async () => {
    const queued = { uid: 'q1', sessionId: session().id, text: 'docs', createdAt: 1 };
    await open(shownSession({ queue: [queued] }));
    await page.press('Edit');
    await page.fill(find('textbox', 'Edit queued message'), 'the docs');
    await page.press('Save');
    expect(page.sent('editQueued')).toEqual([{ uid: 'q1', text: 'the docs' }]);
  });

  test('shows its attachments in the queue', async () => {
    await open({
      ...asked,
      openTurn: runningTurn('turn2', 'u2'),
      queue: [{ uid: 'q1', sessionId: session().id, text: '', parts: [code, picture], createdAt: 1 }],
    });
    expect(document.querySelector('.queue-item')?.textContent).toContain('Attachments: src/a.ts:1-2, shot.png');
  });
});

describe('a prompt of an MCP server', () => {
  const prompts = [{ name: 'mcp_x_ask', description: 'x · Ask', argumentHint: null, kind: 'server' as const }];
  const asked: SentPart = { kind: 'attachment', label: 'x: Ask', source: 'prompt:x:ask', text: 'Ask about it.' };

  test('becomes an attachment in place of its command, and is sent only with the next Enter', async () => {
    await open(idle, { promptFiles: prompts });
    await page.type('/');
    const started = page.sent('startServers').length;
    await page.type('/mcp_x_ask');
    await page.key('Enter');
    const wanted = page.sent('serverPrompt');
    await page.answer('serverPrompt', { parts: [asked], problems: [] });
    const before = [chips(), page.composer.value, page.submitted()];
    await page.key('Enter');
    expect([started, wanted, before, page.submitted()]).toEqual([
      1,
      [{ name: 'mcp_x_ask', text: '' }],
      [['x: Ask'], '', []],
      [expect.objectContaining({ text: '', parts: [asked] })],
    ]);
  });

  test('that comes after another text was typed is attached to nothing', async () => {
    await open(idle, { promptFiles: prompts });
    await page.type('/mcp_x_ask');
    await page.key('Enter');
    await page.key('Enter');
    const wanted = page.sent('serverPrompt').length;
    await page.type('Hello');
    await page.answer('serverPrompt', { parts: [asked], problems: [] });
    expect([wanted, chips(), page.composer.value]).toEqual([1, [], 'Hello']);
  });

  test('that the user cancels leaves the command, and sends nothing', async () => {
    await open(idle, { promptFiles: prompts });
    await page.type('/mcp_x_ask Bonn');
    await page.key('Enter');
    await page.answer('serverPrompt', { parts: [], problems: [] });
    expect([chips(), page.composer.value, page.submitted()]).toEqual([[], '/mcp_x_ask Bonn', []]);
  });
});

describe('a template of an MCP server', () => {
  const template: Mention = { kind: 'resource', source: 'template:x:demo://{id}', label: 'x: Note', detail: '' };

  async function pick(): Promise<void> {
    await open();
    await page.type('See @no');
    await page.answer('mentions', whole([template]));
    await page.key('Enter');
  }

  test('is mentioned as what the user filled it in with', async () => {
    await pick();
    const mention: DraftPart = { kind: 'mention', source: 'resource:x:demo://7', label: 'x: Note (7)' };
    await page.answer('pin', mention);
    expect([page.sent('pin'), page.composer.value, chips(), savedParts()]).toEqual([
      [{ source: template.source }],
      'See @x: Note (7) ',
      ['x: Note (7)'],
      expect.objectContaining({ parts: [mention] }),
    ]);
  });

  test('is filled in for the draft that it was picked in, and for no other', async () => {
    await pick();
    await page.tell('shown', shownSession({ session: session({ id: 'other', conversationId: 'other' }) }));
    await page.type('Other @x: Note');
    await page.answer('pin', { kind: 'mention', source: 'resource:x:demo://7', label: 'x: Note (7)' });
    expect([page.composer.value, chips()]).toEqual(['Other @x: Note', []]);
  });

  test('that the user does not fill in is no mention', async () => {
    await pick();
    await page.answer('pin', { kind: 'canceled' });
    expect([page.composer.value, chips()]).toEqual(['See x: Note ', []]);
  });
});
