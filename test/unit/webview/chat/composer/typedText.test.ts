// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from 'vitest';
import type { ShownSession, ViewStoreState } from '../../../../../src/protocol/chatProtocol';
import { prompt, session, settledTurn, shownSession } from '../../../../support/builders/viewMessages';
import { ChatPage, openChat } from '../chatPage';

let page: ChatPage;
afterEach(() => page.close());

const question = prompt({ uid: 'u1', position: 1 }, 'the last prompt');
const base = { messages: [question], turns: [settledTurn()] };
const key = session().id;
const elsewhere: ViewStoreState = {
  kind: 'elsewhere',
  readable: false,
  sentence: 'Continued in another window.',
  actions: [],
};
const open: ViewStoreState = { kind: 'open', notices: [] };

const drafts = (): readonly unknown[] => page.sent('saveDraft');

/** The store goes to another window, and comes back with this session. */
async function lost(): Promise<void> {
  await page.bootstrap(shownSession(base), { store: elsewhere });
}

async function regained(shown: Partial<ShownSession>): Promise<void> {
  await page.bootstrap(shownSession({ ...base, ...shown }), { store: open });
  await page.settle();
}

async function typeAndSave(text: string): Promise<void> {
  await page.type(text);
  await page.clock.advance(300);
}

describe('typed text', () => {
  test('has from the first key on the uid under which Enter sends it', async () => {
    page = await openChat(shownSession(base));
    page.composer.focus();
    await page.type('D');
    await page.type('Do it');
    const noted = page.memory.unsaved;
    await page.key('Enter');
    expect([noted, page.submitted()]).toEqual([
      [{ key, text: 'Do it', uid: 'uid1', base: '', sent: [] }],
      [{ sessionId: key, uid: 'uid1', text: 'Do it' }],
    ]);
  });

  test('that an older page kept is not given again, neither here nor to the host, once it was sent', async () => {
    const unsaved = [{ key, text: 'Do it', uid: 'q1', sent: [{ uid: 'q0', text: 'First' }] }];
    const queue = ['q0', 'q1'].map((uid) => ({ uid, sessionId: key, text: 'Do it', createdAt: 1 }));
    page = new ChatPage({ unsaved });
    await page.bootstrap(shownSession({ ...base, queue }));
    expect([drafts(), page.composer.value, page.memory.unsaved]).toEqual([
      [
        {
          key,
          text: '',
          sent: [
            { uid: 'q0', text: 'First' },
            { uid: 'q1', text: 'Do it' },
          ],
        },
      ],
      '',
      [],
    ]);
  });

  test('that an older page kept and that was not sent is given again', async () => {
    page = new ChatPage({ unsaved: [{ key, text: 'Do it', uid: 'q1', sent: [] }] });
    await page.bootstrap(shownSession(base));
    expect(page.composer.value).toBe('Do it');
  });
});

describe('when the store comes back from another window', () => {
  test.each([
    ['was sent there', { draft: '' }, ''],
    ['was continued there', { draft: 'half a thought, and more' }, 'half a thought, and more'],
    ['is unchanged', { draft: 'half a thought' }, 'half a thought'],
  ])('a draft that is on disk and %s is what the store has', async (_what, shown, expected) => {
    page = await openChat(shownSession(base));
    await typeAndSave('half a thought');
    await page.answer('saveDraft', null);
    await lost();
    await regained(shown);
    expect(page.composer.value).toBe(expected);
  });

  test('a draft in the empty state that was sent there is gone', async () => {
    page = await openChat(null);
    await typeAndSave('half a thought');
    await page.answer('saveDraft', null);
    await page.bootstrap(null, { store: elsewhere });
    await page.bootstrap(null, { store: open, newDraft: '' });
    expect(page.composer.value).toBe('');
  });

  test('text that was typed meanwhile is given to the host again, after what was typed there', async () => {
    page = await openChat(shownSession(base));
    await lost();
    await typeAndSave('first types A');
    await page.refuse('saveDraft', 'Continued in another window.');
    await regained({ draft: 'second types B' });
    await page.clock.advance(300);
    expect([page.composer.value, drafts().slice(1)]).toEqual([
      'second types B\n\nfirst types A',
      [
        { key, text: 'first types A' },
        { key, text: 'second types B\n\nfirst types A' },
      ],
    ]);
  });

  test('text that was refused is given to the host again as it is when the host has none, or its beginning', async () => {
    for (const draft of ['', 'first']) {
      page = await openChat(shownSession(base));
      await lost();
      await typeAndSave('first types A');
      await page.refuse('saveDraft', 'Continued in another window.');
      await regained({ draft });
      await page.answer('saveDraft', null);
      expect([page.composer.value, drafts().slice(1), page.memory.unsaved]).toEqual([
        'first types A',
        [{ key, text: 'first types A' }],
        [],
      ]);
      page.close();
    }
    page = await openChat(null);
  });

  test('a draft that was changed here meanwhile stays, alone where nothing was typed there', async () => {
    page = await openChat(shownSession(base));
    await typeAndSave('hlf');
    await page.answer('saveDraft', null);
    await lost();
    await page.type('half a thought');
    await regained({ draft: 'hlf' });
    expect(page.composer.value).toBe('half a thought');
  });
});
