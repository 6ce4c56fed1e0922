// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import type { ShownSession } from '../../../../../src/protocol/chatProtocol';
import type { SessionSummary } from '../../../../../src/transcript/session';
import { session, sessionSummary, shownSession } from '../../../../support/builders/viewMessages';
import { type ChatPage, openChat } from '../chatPage';
import { all, find, nameOf, names, texts } from '../../elements';
import { inArticle, threeTurns } from '../../page/threeTurns';

let page: ChatPage;

const summary = (id: string, title: string, change: Partial<SessionSummary> = {}): SessionSummary =>
  sessionSummary({ id, title, conversationId: id, lastTurn: { state: 'complete' }, ...change });
const others = [summary('s2', 'Explain the build'), summary('s3', 'Rename the store')];

const run = async (typed: string): Promise<void> => {
  await page.type(typed);
  await page.key('Escape');
  page.composer.focus();
  await page.key('Enter');
};

async function open(
  shown: ShownSession | null = threeTurns,
  recalled: ConstructorParameters<typeof ChatPage>[0] = {},
): Promise<void> {
  page = await openChat(shown, { recentSessions: [summary(session().id, 'This one'), ...others] }, recalled);
}

describe('/resume', () => {
  const options = () => all('option').map((option) => option.textContent);
  const switched = () => page.sent('switchSession');

  test('offers the other sessions by number; a digit opens one, and its words leave the composer', async () => {
    await open();
    await run('/resume');
    const offered = [options(), document.activeElement?.getAttribute('role')];
    await page.key('2');
    expect([offered, switched(), page.composer.value]).toEqual([
      [['1Explain the buildnow', '2Rename the storenow'], 'listbox'],
      [{ target: { reason: 'resume', sessionId: 's3' } }],
      '',
    ]);
  });

  test('moves through the list with the arrow keys and closes with Escape, which stops nothing', async () => {
    await open();
    await run('/resume');
    await page.key('ArrowDown');
    const active = all('option').find((option) => option.getAttribute('aria-selected') === 'true')?.textContent;
    await page.key('Escape');
    const left = [options(), page.composer.value, document.activeElement === page.composer, page.sent('stop')];
    await page.key('Enter');
    await page.key('ArrowUp');
    await page.key('Enter');
    expect([active, left, switched()]).toEqual([
      '2Rename the storenow',
      [[], '/resume', true, []],
      [{ target: { reason: 'resume', sessionId: 's3' } }],
    ]);
  });

  test('asks which session a title or the beginning of an id means, and opens it', async () => {
    await open();
    await run('/resume rename the store');
    await page.answer('findSession', { kind: 'one', sessionId: 's3' });
    expect([page.sent('findSession'), switched(), page.composer.value]).toEqual([
      [{ text: 'rename the store' }],
      [{ target: { reason: 'resume', sessionId: 's3' } }],
      '',
    ]);
  });

  test('offers the matches where there are several', async () => {
    await open();
    await run('/resume 2026');
    await page.answer('findSession', { kind: 'several', sessions: others });
    expect([
      options().length,
      document.querySelector('#session-choices')?.textContent,
      page.composer.value,
      switched(),
    ]).toEqual([2, '2 sessions match “2026”. Press a number to choose one.', '/resume 2026', []]);
  });

  test.each([
    ['fits nothing', async () => page.answer('findSession', { kind: 'none' }), 'No session matches “nosuch”.'],
    ['cannot be looked for', async () => page.refuse('findSession', 'The disk is full.'), 'The disk is full.'],
  ])('that %s stays in the composer, with the reason', async (_what, happen, sentence) => {
    await open();
    await run('/resume nosuch');
    await happen();
    expect([names('alert'), page.composer.value, switched()]).toEqual([[sentence], '/resume nosuch', []]);
  });
});

describe('a switch', () => {
  const arrived = shownSession({ session: session({ id: 's2', conversationId: 's2' }) });
  const said = () =>
    all('status')
      .map(nameOf)
      .filter((name) => name !== '');

  test.each(['before', 'behind'])('whose answer comes %s the new session shows its notice about it', async (order) => {
    await open();
    await run('/resume 1');
    const answered = (): Promise<void> =>
      page.answer('switchSession', { sessionId: 's2', notice: 'This session has no messages yet.' });
    if (order === 'before') await answered();
    await page.tell('shown', arrived);
    if (order === 'behind') await answered();
    expect(said()).toEqual(['This session has no messages yet.']);
  });

  test('into which a prompt was sent again shows why, once that session is in view', async () => {
    await open();
    await page.click(inArticle('a3', 'Retry'));
    await page.answer('retry', { sessionId: 's2', notice: 'It was asked again in a branch.' });
    const before = said();
    await page.tell('shown', arrived);
    expect([before, said()]).toEqual([[], ['It was asked again in a branch.']]);
  });

  test('keeps what was typed in each session, to the last keystroke', async () => {
    await open();
    await page.type('for this one');
    await page.tell('shown', { ...arrived, draft: 'for that one' });
    const there = page.composer.value;
    await page.type('for that one, longer');
    await page.tell('shown', { ...threeTurns, draft: 'for this one' });
    expect([there, page.composer.value, page.sent('saveDraft')]).toEqual([
      'for that one',
      'for this one',
      [
        { key: session().id, text: 'for this one' },
        { key: 's2', text: 'for that one, longer' },
      ],
    ]);
  });

  test.each([
    ['/undo two', '/undo takes a number of turns, such as /undo 2.'],
    ['/undo 0', '/undo takes a number of turns, such as /undo 2.'],
  ])('%s is refused with words and stays in the composer', async (typed, sentence) => {
    await open();
    await run(typed);
    expect([names('alert'), page.composer.value, page.sent('switchSession')]).toEqual([[sentence], typed, []]);
  });

  test('that is refused leaves the command where it was typed', async () => {
    await open();
    await run('/undo');
    const asked = page.sent('switchSession');
    await page.refuse('switchSession', 'An answer is being written in this session.', 'busy');
    await page.settle();
    expect([asked, names('alert'), page.composer.value]).toEqual([
      [{ target: { reason: 'rewind', sessionId: session().id, turns: 1 } }],
      ['An answer is being written in this session.'],
      '/undo',
    ]);
  });

  test('without a session explains what is missing', async () => {
    await open(null);
    const sentences: (readonly string[])[] = [];
    for (const command of ['/undo', '/branch']) {
      await run(command);
      sentences.push([...names('alert'), page.composer.value]);
    }
    expect([sentences, page.sent('switchSession')]).toEqual([
      [
        ['There is nothing to undo yet.', '/undo'],
        ['There is no session yet. Send a prompt first.', '/branch'],
      ],
      [],
    ]);
  });
});

describe('text typed after a command that shows another session', () => {
  const question = 'What changed?';
  const prompts = () =>
    page
      .submitted()
      .map((payload) =>
        typeof payload === 'object' && payload !== null && 'text' in payload && 'sessionId' in payload
          ? [payload.text, payload.sessionId]
          : payload,
      );

  /** Runs the command and sends a question before the host has answered anything. */
  async function typeAhead(command: string, shown: ShownSession | null = threeTurns): Promise<void> {
    await open(shown);
    await run(command);
    await run(question);
  }

  test.each([
    ['/new', null],
    ['/reset', null],
    ['/resume 1', 's2'],
    ['/branch', 's2'],
  ])('%s is sent to that one, and to no other', async (command, sessionId) => {
    await typeAhead(command);
    const early = prompts();
    await page.tell(
      'shown',
      sessionId === null ? null : shownSession({ session: session({ id: 's2', conversationId: 's2' }) }),
    );
    await page.answer('switchSession', { sessionId, notice: null });
    expect([early, prompts(), page.composer.value]).toEqual([[], [[question, sessionId]], question]);
  });

  test('is alone in the composer, however fast it is typed', async () => {
    await open();
    const { composer } = page;
    composer.value = '/new';
    composer.dispatchEvent(new InputEvent('input', { bubbles: true }));
    composer.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    // Ahead of the next drawing
    const left = composer.value;
    composer.value = `${left}W`;
    composer.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await page.settle();
    expect([left, page.composer.value]).toEqual(['', 'W']);
  });

  test('moves along before it is sent, and is no draft of the session that is left', async () => {
    await open();
    await run('/resume 1');
    await page.type('What ch');
    await page.tell('shown', shownSession({ session: session({ id: 's2', conversationId: 's2' }) }));
    await page.answer('switchSession', { sessionId: 's2', notice: null });
    await page.clock.advance(1000);
    const drafts = page.sent('saveDraft');
    expect([page.composer.value, drafts.filter((draft) => JSON.stringify(draft).includes('What ch'))]).toEqual([
      'What ch',
      [{ key: 's2', text: 'What ch' }],
    ]);
  });

  test('leaves the existing draft in place', async () => {
    await typeAhead('/resume 1');
    await page.tell(
      'shown',
      shownSession({ session: session({ id: 's2', conversationId: 's2' }), draft: 'for that one' }),
    );
    const meanwhile = page.composer.value;
    await page.answer('switchSession', { sessionId: 's2', notice: null });
    await page.answer('submit', { kind: 'started', sessionId: 's2' });
    expect([meanwhile, prompts(), page.composer.value]).toEqual([
      `for that one\n\n${question}`,
      [[question, 's2']],
      'for that one',
    ]);
  });

  test('is not sent when the command is refused: it stays in the composer, below the reason', async () => {
    await typeAhead('/new');
    await page.refuse('switchSession', 'The disk is full.');
    await page.settle();
    expect([prompts(), page.composer.value, names('alert')]).toEqual([[], question, ['The disk is full.']]);
  });

  test('is carried out in that session if it is a command too', async () => {
    await open();
    await run('/resume 1');
    await run('/compress');
    await page.tell('shown', shownSession({ session: session({ id: 's2', conversationId: 's2' }) }));
    await page.answer('switchSession', { sessionId: 's2', notice: null });
    expect(page.sent('compressionPreview')).toEqual([{ sessionId: 's2' }]);
  });
});

describe('the header', () => {
  test('names the session that this one was branched from and opens it', async () => {
    await open({ ...threeTurns, origin: { sessionId: 's2', title: 'Explain the build', isTrashed: false } });
    await page.press('Branched from “Explain the build”');
    expect(page.sent('switchSession')).toEqual([{ target: { reason: 'resume', sessionId: 's2' } }]);
  });

  test.each([
    ['erased', { sessionId: null }, 'Branched from a deleted session'],
    [
      'in the trash',
      { sessionId: 's2', title: 'Explain the build', isTrashed: true },
      'Branched from “Explain the build”, which is in the trash',
    ],
  ] as const)('leads nowhere when that one is %s', async (_where, origin, words) => {
    await open({ ...threeTurns, origin });
    const shown = document.querySelector('.origin');
    expect([shown?.textContent, shown?.querySelectorAll('button').length]).toEqual([words, 0]);
  });

  test('marks a private session, and the empty state that begins one', async () => {
    const marked = () => document.querySelector('header')?.textContent?.includes('Private');
    await open({ ...threeTurns, session: session({ private: true }) });
    const shown = marked();
    await page.tell('beginning', { private: true });
    await page.tell('shown', null);
    const empty = [marked(), document.body.textContent?.includes('not added to memory')];
    await page.tell('beginning', { private: false });
    expect([shown, empty, marked()]).toEqual([true, [true, true], false]);
  });

  test('keeps a title that is refused in its field, with the reason', async () => {
    await open();
    await page.press('Rename Session: Fix flaky upload test');
    await page.fill(find('textbox', 'Session Title'), 'Taken');
    await page.key('Enter');
    await page.refuse('rename', 'Another branch of this session has this title.');
    const field = find('textbox', 'Session Title');
    const refused = [Reflect.get(field, 'value'), field.getAttribute('aria-invalid'), names('alert')];
    await page.fill(field, 'Free');
    field.focus();
    await page.key('Enter');
    await page.answer('rename', null);
    expect([refused, page.sent('rename'), names('textbox')]).toEqual([
      ['Taken', 'true', ['Another branch of this session has this title.']],
      [
        { sessionId: session().id, title: 'Taken' },
        { sessionId: session().id, title: 'Free' },
      ],
      ['Message'],
    ]);
  });
});

describe('sessions in the background', () => {
  test('are listed with their state; a press shows or dismisses them', async () => {
    await open();
    await page.tell('background', [
      { sessionId: 's2', title: 'Explain the build', state: 'running' },
      { sessionId: 's3', title: null, state: 'complete' },
    ]);
    const lines = all('status')
      .map(nameOf)
      .filter((name) => name !== '');
    await page.press('Dismiss');
    await page.click(all('button').filter((button) => nameOf(button) === 'Show')[0] ?? document.body);
    expect([lines, page.sent('dismissBackground'), page.sent('switchSession')]).toEqual([
      ['Also running: Explain the buildShow', 'Finished: Untitled SessionShowDismiss'],
      [{ sessionId: 's3' }],
      [{ target: { reason: 'resume', sessionId: 's2' } }],
    ]);
  });

  test('are not all listed when there are many', async () => {
    await open();
    await page.tell(
      'background',
      ['s2', 's3', 's4', 's5', 's6'].map((sessionId) => ({ sessionId, title: sessionId, state: 'running' as const })),
    );
    expect(texts('.strip-background .strip-words')).toEqual([
      'Also running: s2',
      'Also running: s3',
      'Also running: s4',
      'and 2 more sessions',
    ]);
  });

  test('that ended unseen are marked in the list of recent ones', async () => {
    page = await openChat(null, {
      recentSessions: [summary('s2', 'Explain the build', { unread: true }), summary('s3', 'Rename the store')],
    });
    expect(texts('.recent-item')).toEqual([
      'Explain the buildunreadnowContinue the last session',
      'Rename the storenow',
    ]);
  });
});
