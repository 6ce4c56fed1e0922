// @vitest-environment happy-dom
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { prompt, session, settledTurn, shownSession } from '../../../../support/builders/viewMessages';
import { ChatPage, openChat } from '../chatPage';

let page: ChatPage;
afterEach(() => {
  vi.useRealTimers();
  page.close();
});

const question = prompt({ uid: 'u1', position: 1 }, 'the last prompt');
const idle = shownSession({ messages: [question], turns: [settledTurn()] });
const key = session().id;
const started = { kind: 'started', sessionId: key } as const;

async function open(
  shown: typeof idle | null = idle,
  memory: ConstructorParameters<typeof ChatPage>[0] = {},
  newDraft = '',
): Promise<void> {
  page = await openChat(shown, { newDraft }, memory);
  page.composer.focus();
}

const posted = (): readonly unknown[] =>
  page.posted
    .filter(({ name }) => name === 'saveDraft' || name === 'submit')
    .map(({ name, payload }) => [name, payload]);

/** Types into the field as the browser does: behind what it shows. */
async function typeBehind(text: string): Promise<void> {
  await page.type(page.composer.value + text);
}

async function send(text: string): Promise<void> {
  await typeBehind(text);
  await page.key('Enter');
}

describe('Enter', () => {
  test('gives the host the draft before the prompt, and names the draft that the prompt leaves', async () => {
    await open();
    await send('Do it');
    expect(posted()).toEqual([
      ['saveDraft', { key, text: '', sent: [{ uid: 'uid1', text: 'Do it' }] }],
      ['submit', { sessionId: key, uid: 'uid1', text: 'Do it', draft: { key, text: 'Do it' } }],
    ]);
  });

  test('reports the words with which a command is in the draft', async () => {
    await open();
    await send('/queue Do it');
    expect(posted()).toEqual([
      ['saveDraft', { key, text: '', sent: [{ uid: 'uid1', text: '/queue Do it' }] }],
      ['submit', { sessionId: key, uid: 'uid1', text: 'Do it', busy: 'queue', draft: { key, text: '/queue Do it' } }],
    ]);
  });

  test('keeps the text in the memory of the page until the host reports it on disk, as a draft or as a prompt', async () => {
    await open();
    await send('Do it');
    const sent = page.memory.unsaved;
    await page.answer('saveDraft', null);
    const saved = page.memory.unsaved;
    await page.answer('submit', started);
    expect([sent, saved, page.memory.unsaved]).toEqual([
      [{ key, text: '', base: '', sent: [{ uid: 'uid1', text: 'Do it' }] }],
      [],
      [],
    ]);
  });

  test('leaves a text that the host could not save in the memory of the page', async () => {
    await open();
    await send('Do it');
    await page.refuse('saveDraft', 'The disk is full.');
    expect(page.memory.unsaved).toEqual([{ key, text: '', base: '', sent: [{ uid: 'uid1', text: 'Do it' }] }]);
  });

  test('pressed again for a prompt without an answer sends it under the same uid, and under another if it was changed', async () => {
    await open();
    await send('one');
    await page.refuse('submit', 'The extension host was restarted.');
    await page.settle();
    await page.key('Enter');
    await page.refuse('submit', 'The extension host was restarted.');
    await page.settle();
    await send(' more');
    expect(page.submitted()).toEqual(
      [
        ['uid1', 'one'],
        ['uid1', 'one'],
        ['uid2', 'one more'],
      ].map(([uid, text]) => ({ sessionId: key, uid, text })),
    );
  });

  test('applies to text typed after a prompt on its way: sent after that one, in order, each once', async () => {
    await open();
    await send('one');
    await send('two');
    await send('three');
    await page.key('Enter');
    const seen = [page.composer.value];
    for (const expected of [2, 3, 3]) {
      await page.answer('submit', started);
      seen.push(page.composer.value);
      expect(page.submitted().length).toBe(expected);
    }
    expect([seen, page.submitted(), page.memory.unsaved]).toEqual([
      ['three', 'three', 'three', ''],
      [
        { sessionId: key, uid: 'uid1', text: 'one' },
        { sessionId: key, uid: 'uid2', text: 'two' },
        { sessionId: key, uid: 'uid3', text: 'three' },
      ],
      [],
    ]);
  });

  test('empties the field with the first key typed after it, and the text stays part of the draft', async () => {
    await open();
    await send('Do it');
    const standing = page.composer.value;
    await typeBehind('a');
    const behind = [page.composer.value, page.memory.unsaved];
    await page.clock.advance(300);
    const saved = posted().at(-1);
    await page.answer('submit', started);
    await page.answer('saveDraft', null);
    await page.answer('saveDraft', null);
    expect([standing, behind, saved, page.composer.value, page.memory.unsaved]).toEqual([
      'Do it',
      ['a', [{ key, text: 'a', uid: 'uid2', base: '', sent: [{ uid: 'uid1', text: 'Do it' }] }]],
      ['saveDraft', { key, text: 'a', sent: [{ uid: 'uid1', text: 'Do it' }] }],
      'a',
      [],
    ]);
  });

  test('shows what is being saved when that takes long and the field shows something else by now', async () => {
    const said = (): string | null =>
      document.querySelector('section[aria-label="Saving"] .queue-text')?.textContent ?? null;
    await open();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await send('Do it');
    await typeBehind('a');
    const early = said();
    await act(() => void vi.advanceTimersByTime(300));
    const late = said();
    await page.answer('submit', started);
    expect([early, late, said()]).toEqual([null, 'Do it', null]);
  });

  test('that is refused restores everything in the order in which it was typed', async () => {
    await open();
    await send('one');
    await send('two');
    await typeBehind('thr');
    await page.refuse('submit', 'The disk is full. Your prompt is still here.');
    await page.settle();
    expect([page.composer.value, page.submitted().length, page.sent('saveDraft').at(-1)]).toEqual([
      'one\n\ntwo\n\nthr',
      1,
      { key, text: 'one\n\ntwo\n\nthr' },
    ]);
  });

  test('after a prompt that begins a session sends into that session, whose draft has it meanwhile', async () => {
    await open(null);
    await send('one');
    await send('two');
    await page.tell('shown', shownSession());
    await page.answer('submit', started);
    expect(posted().slice(-2)).toEqual([
      ['saveDraft', { key, text: '', sent: [{ uid: 'uid2', text: 'two' }], from: 'new' }],
      ['submit', { sessionId: key, uid: 'uid2', text: 'two', draft: { key, text: 'two' } }],
    ]);
  });

  test('has a command wait until the prompt before it is on disk, and then carries it out', async () => {
    await open();
    await send('one');
    await send('/new');
    const early = page.sent('switchSession').length;
    await page.answer('submit', started);
    await page.settle();
    expect([early, page.sent('switchSession').length, page.composer.value]).toEqual([0, 1, '']);
  });

  test('pressed again for more words, while the sent ones wait for another session, sends those too', async () => {
    await open();
    await send('/new');
    await send('one');
    await typeBehind(' two');
    await page.key('Enter');
    await page.tell('shown', null);
    await page.answer('switchSession', { sessionId: null, notice: null });
    await page.settle();
    await page.answer('submit', started);
    await page.settle();
    expect([page.submitted(), page.composer.value]).toEqual([
      [
        { sessionId: null, uid: 'uid3', text: 'one' },
        { sessionId: key, uid: 'uid4', text: 'two' },
      ],
      'two',
    ]);
  });
});

describe('a page that is loaded after Enter', () => {
  const memory = { unsaved: [{ key, text: 'and more', sent: [{ uid: 'uid1', text: 'Do it' }] }] };

  test('gives the host its unconfirmed text before asking for the state, and shows what the host then has', async () => {
    page = new ChatPage(memory);
    const first = page.posted.map(({ name, payload }) => [name, payload]);
    await page.answer('saveDraft', null);
    await page.bootstrap({ ...idle, draft: 'and more' });
    expect([first, page.composer.value, page.memory.unsaved]).toEqual([
      [
        ['saveDraft', { key, text: 'and more', sent: [{ uid: 'uid1', text: 'Do it' }] }],
        ['ready', {}],
      ],
      'and more',
      [],
    ]);
  });

  test('shows all of it when the host could not take it', async () => {
    page = new ChatPage(memory);
    await page.refuse('saveDraft', 'The disk is full.');
    await page.bootstrap({ ...idle, draft: 'Do' });
    expect(page.composer.value).toBe('Do it\n\nand more');
  });

  test.each([
    ['as a message', { ...idle, messages: [question, prompt({ uid: 'uid1', position: 2 }, 'Do it')] }],
    ['in the queue', { ...idle, queue: [{ uid: 'uid1', sessionId: key, text: 'Do it', createdAt: 1 }] }],
  ])('leaves out a prompt that is stored %s, when the host could not take the draft', async (_place, shown) => {
    page = new ChatPage(memory);
    await page.refuse('saveDraft', 'Another window has this history.');
    await page.bootstrap(shown);
    expect([page.composer.value, page.memory.unsaved.flatMap(({ sent }) => sent)]).toEqual(['and more', []]);
  });

  test('shows text typed after the prompt that began a session in that session, when the host could not take the draft', async () => {
    page = new ChatPage({
      unsaved: [{ key: 'new', text: 'and more', sent: [{ uid: 'u1', text: 'the last prompt' }] }],
    });
    await page.refuse('saveDraft', 'Another window has this history.');
    await page.bootstrap(idle);
    expect(page.composer.value).toBe('and more');
  });

  test('keeps it while the store is still being opened, and shows it with the session it was typed for', async () => {
    page = await openChat(null, { store: { kind: 'opening' } }, memory);
    const early = [page.composer.value, page.memory.unsaved];
    await page.refuse('saveDraft', 'The disk is full.');
    await page.bootstrap({ ...idle, draft: '' });
    expect([early, page.composer.value]).toEqual([['', memory.unsaved], 'Do it\n\nand more']);
  });

  test('shows the draft of the empty state once it can be read', async () => {
    page = await openChat(null, { store: { kind: 'opening' } });
    await page.bootstrap(null, { newDraft: 'half a thought' });
    expect(page.composer.value).toBe('half a thought');
  });
});
