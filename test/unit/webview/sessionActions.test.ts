// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ShownSession } from '../../../src/protocol/chatProtocol';
import { continuationPart } from '../../../src/transcript/continuation';
import type { SessionSummary } from '../../../src/protocol/transcriptWords';
import { answer, call, prompt, result, runningTurn, session, settledTurn, shownSession } from '../../support/builders/viewMessages';
import { all, ChatPage, find, nameOf, names } from './chatPage';

// See chatComponents.test.ts.
vi.mock('../../../src/webview/markdown/sanitizer', () => import('../../support/plainSanitizer'));
let page: ChatPage;
afterEach(() => page.close());

const rows = [1, 2, 3].flatMap((turn) => [
  prompt({ uid: `u${turn}`, position: turn * 10, turnUid: `turn${turn}` }, `Question ${turn}`),
  answer({ uid: `a${turn}`, position: turn * 10 + 1, turnUid: `turn${turn}` }, [`Answer ${turn}`]),
]);
const turns = [1, 2, 3].map((turn) => settledTurn(`turn${turn}`, `u${turn}`));
const threeTurns = shownSession({ messages: rows, turns });
const summary = (id: string, title: string, change: Partial<SessionSummary> = {}): SessionSummary => ({
  ...session({ id, title, conversationId: id }), preview: null, turnCount: 1, messageCount: 2, lastTurn: { state: 'complete' }, queuedCount: 0, branchOf: null, unread: false, problem: null, ...change,
});
const others = [summary('s2', 'Explain the build'), summary('s3', 'Rename the store')];

const toolbarsOf = (uid: string) => [...document.querySelectorAll<HTMLElement>(`article[data-uid=${uid}] [role=toolbar]`)].map((bar) => [...bar.querySelectorAll('button')].map(nameOf));
const inArticle = (uid: string, name: string): HTMLElement => {
  const button = [...document.querySelectorAll<HTMLElement>(`article[data-uid=${uid}] button`)].find((candidate) => nameOf(candidate) === name);
  if (button === undefined) throw new Error(`There is no "${name}" in ${uid}`);
  return button;
};
const shownTexts = () => all('article').map((article) => article.querySelector('[data-part=text]')?.textContent?.trim());
const run = async (typed: string): Promise<void> => {
  await page.type(typed);
  await page.key('Escape');
  page.composer.focus();
  await page.key('Enter');
};

async function open(shown: ShownSession | null = threeTurns, recalled: ConstructorParameters<typeof ChatPage>[0] = {}): Promise<void> {
  page = new ChatPage(recalled);
  await page.bootstrap(shown, { recentSessions: [summary(session().id, 'This one'), ...others] });
}

describe('what can be done with a message', () => {
  test('stands in a toolbar of its own, Retry with the last answer only', async () => {
    await open();
    expect([toolbarsOf('u1'), toolbarsOf('a1'), toolbarsOf('a3'), names('toolbar')]).toEqual([
      [['Edit & Resend', 'Branch from Here', 'Rewind to Here…', 'Copy Prompt']],
      [['Branch from Here', 'Copy Answer', 'Copy Turn as Markdown']],
      [['Retry', 'Branch from Here', 'Copy Answer', 'Copy Turn as Markdown']],
      ['Prompt Actions', 'Answer Actions', 'Prompt Actions', 'Answer Actions', 'Prompt Actions', 'Answer Actions'],
    ]);
  });

  test('is one stop of the Tab key, gone along with the arrow keys', async () => {
    await open();
    const stops = () => [...(document.querySelector('article[data-uid=u1] [role=toolbar]')?.querySelectorAll('button') ?? [])].map((button) => button.tabIndex);
    const before = stops();
    inArticle('u1', 'Edit & Resend').focus();
    const seen: string[] = [];
    for (const key of ['ArrowRight', 'ArrowRight', 'End', 'ArrowRight', 'ArrowLeft', 'Home']) {
      await page.key(key);
      seen.push(nameOf(document.activeElement ?? document.body));
    }
    expect([before, seen, stops()]).toEqual([
      [0, -1, -1, -1], ['Branch from Here', 'Rewind to Here…', 'Copy Prompt', 'Edit & Resend', 'Copy Prompt', 'Edit & Resend'], [0, -1, -1, -1],
    ]);
  });

  test('is refused while an answer is written where it would change what that builds on; branching is not', async () => {
    await open({ ...threeTurns, openTurn: runningTurn('turn4', 'u4'), messages: [...rows, prompt({ uid: 'u4', position: 40, turnUid: 'turn4' }, 'Question 4')] });
    const disabled = (uid: string) => [...document.querySelectorAll(`article[data-uid=${uid}] button[aria-disabled=true]`)].map(nameOf);
    await page.click(inArticle('u1', 'Edit & Resend'));
    await page.click(inArticle('u1', 'Rewind to Here…'));
    await page.click(inArticle('a1', 'Branch from Here'));
    expect([disabled('u1'), disabled('u4'), disabled('a1'), names('textbox'), names('group'), page.sent('switchSession')]).toEqual([
      ['Edit & Resend', 'Rewind to Here…'], ['Edit & Resend', 'Branch from Here', 'Rewind to Here…'], [], ['Message'], [],
      [{ target: { reason: 'branch', sessionId: session().id, from: 'a1' } }],
    ]);
  });

  test('is asked for once, however often it is pressed', async () => {
    await open();
    await page.click(inArticle('a1', 'Branch from Here'));
    await page.click(inArticle('a1', 'Branch from Here'));
    const pressed = page.sent('switchSession').length;
    await page.refuse('switchSession', 'The disk is full.');
    await page.settle();
    await page.click(inArticle('a1', 'Branch from Here'));
    await page.click(inArticle('a3', 'Retry'));
    await page.click(inArticle('a3', 'Retry'));
    expect([pressed, page.sent('switchSession').length, page.sent('retry').length]).toEqual([1, 2, 1]);
  });

  test('branches from an answer behind which its turn went on', async () => {
    const steps = [
      prompt({ uid: 'u1', position: 1 }, 'Why?'),
      answer({ uid: 'a1', position: 2 }, ['I look.', call('c1', 'read_file', { path: 'a.ts' })]),
      result({ uid: 'r1', position: 3 }, 'c1', 'read_file', 'x'),
      answer({ uid: 'a2', position: 4 }, ['Because.']),
    ];
    await open(shownSession({ messages: steps, turns: [settledTurn()] }));
    await page.click(inArticle('a1', 'Branch from Here'));
    await page.click(inArticle('a1', 'Copy Answer'));
    await page.click(inArticle('a2', 'Copy Answer'));
    expect([page.sent('switchSession'), page.sent('copy')]).toEqual([
      [{ target: { reason: 'branch', sessionId: session().id, from: 'a1' } }], [{ text: 'I look.' }, { text: 'I look.\n\nBecause.' }],
    ]);
  });
});

describe('Edit & Resend', () => {
  const editor = () => find('textbox', 'Edit prompt');

  test('edits in place; Escape gives it up, says nothing to the host and returns the focus', async () => {
    await open();
    await page.click(inArticle('u2', 'Edit & Resend'));
    const begun = [editor() instanceof HTMLTextAreaElement && document.activeElement === editor(), Reflect.get(editor(), 'value')];
    await page.fill(editor(), 'Something else');
    const pressed = await page.key('Escape');
    expect([begun, pressed.defaultPrevented, names('textbox'), shownTexts()[2], page.sent('editAndResend'), page.sent('stop'), nameOf(document.activeElement ?? document.body)]).toEqual([
      [true, 'Question 2'], true, ['Message'], 'Question 2', [], [], 'Edit & Resend',
    ]);
  });

  test('sends with Enter, never with that of an input method, and is left only once the prompt is on disk', async () => {
    await open();
    await page.click(inArticle('u2', 'Edit & Resend'));
    await page.fill(editor(), 'Question two');
    await page.key('Enter', { isComposing: true });
    await page.key('Enter', { shiftKey: true });
    await page.key('Enter');
    const onItsWay = [names('textbox'), page.sent('editAndResend')];
    await page.answer('editAndResend', { sessionId: session().id, notice: null });
    const request = { turnUid: 'turn2', text: 'Question two', uid: 'uid1' };
    expect([onItsWay, names('textbox'), page.sent('editAndResend'), page.memory.edits]).toEqual([[['Edit prompt', 'Message'], [request]], ['Message'], [request], []]);
  });

  test('that is refused keeps the text and says why; sent again unchanged it is the same prompt', async () => {
    await open();
    await page.click(inArticle('u2', 'Edit & Resend'));
    await page.fill(editor(), 'Question two');
    await page.key('Enter');
    await page.refuse('editAndResend', 'Another answer is being written.');
    const refused = [names('alert'), Reflect.get(editor(), 'value')];
    editor().focus();
    await page.key('Enter');
    const uids = page.sent('editAndResend').map((payload) => (typeof payload === 'object' && payload !== null && 'uid' in payload ? payload.uid : null));
    expect([refused, uids]).toEqual([[['Another answer is being written.'], 'Question two'], ['uid1', 'uid1']]);
  });

  test('is there again after the view was hidden', async () => {
    await open();
    await page.click(inArticle('u2', 'Edit & Resend'));
    await page.fill(editor(), 'Half a thou');
    const { memory } = page;
    page.close();
    await open(threeTurns, memory);
    expect(Reflect.get(editor(), 'value')).toBe('Half a thou');
  });
});

describe('versions of a prompt', () => {
  const again = { ...settledTurn('turn4', 'u4'), supersedes: 'turn2' };
  const secondVersion = shownSession({
    messages: [...rows.slice(0, 2), prompt({ uid: 'u4', position: 40, turnUid: 'turn4' }, 'Question two'), answer({ uid: 'a4', position: 41, turnUid: 'turn4' }, ['Answer two'])],
    turns: [...turns.slice(0, 1), again], versions: [{ turnUid: 'turn4', versions: ['turn2', 'turn4'] }], changed: true,
  });
  const place = () => names('group');

  test('take the place of what was there as soon as the turn begins, before anything is read again', async () => {
    await open();
    await page.event({ kind: 'turnOpened', turn: { ...runningTurn('turn4', 'u4'), supersedes: 'turn2' }, userMessage: prompt({ uid: 'u4', position: 40, turnUid: 'turn4' }, 'Question two') });
    expect([shownTexts(), place()]).toEqual([['Question 1', 'Answer 1', 'Question two'], ['Version 2 of 2']]);
  });

  test('are gone through back and forth, each with what followed it, and the focus stays', async () => {
    await open();
    await page.tell('shown', secondVersion);
    const second = [shownTexts(), place(), find('button', 'Next Version').hasAttribute('disabled')];
    await page.press('Previous Version');
    await page.tell('shown', { ...threeTurns, versions: [{ turnUid: 'turn2', versions: ['turn2', 'turn4'] }], changed: true });
    await page.answer('showVersion', null);
    const first = [shownTexts(), place(), nameOf(document.activeElement ?? document.body)];
    await page.press('Next Version');
    expect([second, first, page.sent('showVersion')]).toEqual([
      [['Question 1', 'Answer 1', 'Question two', 'Answer two'], ['Version 2 of 2'], true],
      [['Question 1', 'Answer 1', 'Question 2', 'Answer 2', 'Question 3', 'Answer 3'], ['Version 1 of 2'], 'Next Version'],
      [{ turnUid: 'turn2' }, { turnUid: 'turn4' }],
    ]);
  });

  test('leave nothing of another version behind that was loaded from earlier pages', async () => {
    await open({ ...threeTurns, messages: rows.slice(2), hasEarlier: true });
    document.querySelector<HTMLElement>('.earlier')?.click();
    await page.answer('loadEarlier', { messages: rows.slice(0, 2), turns: turns.slice(0, 1), versions: [], changes: {}, hasEarlier: false });
    const many = [41, 42, 43].map((position) => answer({ uid: `b${position}`, position, turnUid: 'turn4' }, [`Part ${position}`]));
    await page.tell('shown', { ...secondVersion, messages: many, hasEarlier: true });
    expect(shownTexts()).toEqual(['Part 41', 'Part 42', 'Part 43']);
  });
});

describe('Rewind to Here…', () => {
  const card = () => all('group').find((group) => nameOf(group) === 'Rewind to Here');

  test('says how many turns go, and does nothing until it is confirmed', async () => {
    await open();
    await page.click(inArticle('u2', 'Rewind to Here…'));
    const words = card()?.querySelector('p')?.textContent;
    await page.key('Escape');
    await page.click(inArticle('u3', 'Rewind to Here…'));
    const one = card()?.querySelector('p')?.textContent;
    const before = page.sent('switchSession');
    await page.press('Rewind');
    expect([words?.startsWith('Take back this prompt and everything behind it (2 turns)?'), one?.includes('(1 turn)'), before, page.sent('switchSession'), page.sent('stop')]).toEqual([
      true, true, [], [{ target: { reason: 'rewind', sessionId: session().id, to: 'u3' } }], [],
    ]);
  });

  test('puts the prompt into the composer, ahead of what was typed before and meanwhile', async () => {
    await open();
    await page.type('half a thought');
    await page.click(inArticle('u2', 'Rewind to Here…'));
    await page.press('Rewind');
    const saved = page.sent('saveDraft');
    await page.type('half a thought, and more');
    await page.tell('shown', { ...threeTurns, messages: rows.slice(0, 2), draft: 'Question 2\n\nhalf a thought', changed: true });
    await page.answer('switchSession', { sessionId: session().id, notice: null });
    expect([saved, page.composer.value, shownTexts(), names('status').at(0)]).toEqual([
      [{ key: session().id, text: 'half a thought' }], 'Question 2\n\nhalf a thought, and more', ['Question 1', 'Answer 1'],
      'Taken back. The prompt is in the composer; the transcript keeps what was hidden.',
    ]);
  });

  test('counts an answer that was continued as one turn', async () => {
    const goOn = { ...prompt({ uid: 'u2', position: 20, turnUid: 'turn2' }, ''), parts: [continuationPart()] };
    await open({ ...threeTurns, messages: rows.map((row) => (row.uid === 'u2' ? goOn : row)) });
    await page.click(inArticle('u1', 'Rewind to Here…'));
    expect(card()?.querySelector('p')?.textContent?.includes('(2 turns)')).toBe(true);
  });

  test('says so where a summary stands behind the prompt', async () => {
    const earlier = rows.map((row) => ({ ...row, sessionId: 'segment0' }));
    await open({ ...threeTurns, messages: earlier });
    await page.click(inArticle('u2', 'Rewind to Here…'));
    expect(card()?.querySelector('p')?.textContent).toBe('This prompt stands before a summary. It is taken back in a branch; this session stays as it is.');
  });
});

describe('/resume', () => {
  const options = () => all('option').map((option) => option.textContent);
  const switched = () => page.sent('switchSession');

  test('offers the other sessions by number; a digit opens one, and its words leave the composer', async () => {
    await open();
    await run('/resume');
    const offered = [options(), document.activeElement?.getAttribute('role')];
    await page.key('2');
    expect([offered, switched(), page.composer.value]).toEqual([
      [['1Explain the buildnow', '2Rename the storenow'], 'listbox'], [{ target: { reason: 'resume', sessionId: 's3' } }], '',
    ]);
  });

  test('goes along the list with the arrow keys and is left with Escape, which stops nothing', async () => {
    await open();
    await run('/resume');
    await page.key('ArrowDown');
    const active = all('option').find((option) => option.getAttribute('aria-selected') === 'true')?.textContent;
    await page.key('Escape');
    const left = [options(), page.composer.value, document.activeElement === page.composer, page.sent('stop')];
    await page.key('Enter');
    await page.key('ArrowUp');
    await page.key('Enter');
    expect([active, left, switched()]).toEqual(['2Rename the storenow', [[], '/resume', true, []], [{ target: { reason: 'resume', sessionId: 's3' } }]]);
  });

  test('takes a number at once', async () => {
    await open();
    await run('/resume 1');
    expect(switched()).toEqual([{ target: { reason: 'resume', sessionId: 's2' } }]);
  });

  test('asks what a title or the beginning of an id means, and opens the one it means', async () => {
    await open();
    await run('/resume rename the store');
    await page.answer('findSession', { kind: 'one', sessionId: 's3' });
    expect([page.sent('findSession'), switched(), page.composer.value]).toEqual([[{ text: 'rename the store' }], [{ target: { reason: 'resume', sessionId: 's3' } }], '']);
  });

  test('offers those that fit where several do', async () => {
    await open();
    await run('/resume 2026');
    await page.answer('findSession', { kind: 'several', sessions: others });
    expect([options().length, document.querySelector('#session-choices')?.textContent, page.composer.value, switched()]).toEqual([
      2, '2 sessions fit “2026”. Press the number of the one you mean.', '/resume 2026', [],
    ]);
  });

  test.each([
    ['fits nothing', async () => page.answer('findSession', { kind: 'none' }), 'No session has this number, id or title: “nosuch”.'],
    ['cannot be looked for', async () => page.refuse('findSession', 'The disk is full.'), 'The disk is full.'],
  ])('that %s stays in the composer, with the reason', async (_what, happen, sentence) => {
    await open();
    await run('/resume nosuch');
    await happen();
    expect([names('alert'), page.composer.value, switched()]).toEqual([[sentence], '/resume nosuch', []]);
  });

  test('of a session that is refused stays in the composer', async () => {
    await open();
    await run('/resume 1');
    await page.refuse('switchSession', 'This session is in the trash. Restore it, then open it.');
    await page.settle();
    expect([names('alert'), page.composer.value]).toEqual([['This session is in the trash. Restore it, then open it.'], '/resume 1']);
  });
});

describe('a switch', () => {
  const arrived = shownSession({ session: session({ id: 's2', conversationId: 's2' }) });
  const said = () => all('status').map(nameOf).filter((name) => name !== '');

  test.each(['before', 'behind'])('whose answer comes %s the new session says what there is to say about it', async (order) => {
    await open();
    await run('/resume 1');
    const answered = (): Promise<void> => page.answer('switchSession', { sessionId: 's2', notice: 'This session has no messages yet.' });
    if (order === 'before') await answered();
    await page.tell('shown', arrived);
    if (order === 'behind') await answered();
    expect(said()).toEqual(['This session has no messages yet.']);
  });

  test('into which a prompt was sent again says why, once that session is in view', async () => {
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
      'for that one', 'for this one', [{ key: session().id, text: 'for this one' }, { key: 's2', text: 'for that one, longer' }],
    ]);
  });

  test.each([
    ['/undo two', '/undo takes the number of turns to take back, such as /undo 2.'],
    ['/undo 0', '/undo takes the number of turns to take back, such as /undo 2.'],
  ])('%s is refused in words and stays in the composer', async (typed, sentence) => {
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
      [{ target: { reason: 'rewind', sessionId: session().id, turns: 1 } }], ['An answer is being written in this session.'], '/undo',
    ]);
  });

  test('without a session says what is missing', async () => {
    await open(null);
    const sentences: (readonly string[])[] = [];
    for (const command of ['/undo', '/branch']) {
      await run(command);
      sentences.push([...names('alert'), page.composer.value]);
    }
    expect([sentences, page.sent('switchSession')]).toEqual([
      [['There is nothing to take back yet.', '/undo'], ['There is no session to branch yet. Send a prompt first.', '/branch']], [],
    ]);
  });
});

describe('the header', () => {
  test('names what a session was branched from and opens it', async () => {
    await open({ ...threeTurns, origin: { sessionId: 's2', title: 'Explain the build', isTrashed: false } });
    await page.press('Branched from “Explain the build”');
    expect(page.sent('switchSession')).toEqual([{ target: { reason: 'resume', sessionId: 's2' } }]);
  });

  test('says when that one was erased', async () => {
    await open({ ...threeTurns, origin: { sessionId: null } });
    expect([document.querySelector('.origin')?.textContent, document.querySelectorAll('.origin button').length]).toEqual(['Branched from a session that was erased', 0]);
  });

  test('says when that one is in the trash', async () => {
    await open({ ...threeTurns, origin: { sessionId: 's2', title: 'Explain the build', isTrashed: true } });
    expect([document.querySelector('.origin')?.textContent, document.querySelectorAll('.origin button').length]).toEqual(['Branched from “Explain the build”, which is in the trash', 0]);
  });

  test('marks a private session, and the empty state that begins one', async () => {
    const marked = () => document.querySelector('header')?.textContent?.includes('Private');
    await open({ ...threeTurns, session: session({ private: true }) });
    const shown = marked();
    await page.tell('beginning', { private: true });
    await page.tell('shown', null);
    const empty = [marked(), document.body.textContent?.includes('no memory provider is told of it')];
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
      [{ sessionId: session().id, title: 'Taken' }, { sessionId: session().id, title: 'Free' }],
      ['Message'],
    ]);
  });
});

describe('sessions in the background', () => {
  test('are named with how they stand; shown or dismissed with a press', async () => {
    await open();
    await page.tell('background', [{ sessionId: 's2', title: 'Explain the build', state: 'running' }, { sessionId: 's3', title: null, state: 'complete' }]);
    const lines = all('status').map(nameOf).filter((name) => name !== '');
    await page.press('Dismiss');
    await page.click(all('button').filter((button) => nameOf(button) === 'Show')[0] ?? document.body);
    expect([lines, page.sent('dismissBackground'), page.sent('switchSession')]).toEqual([
      ['Also running: Explain the buildShow', 'Finished: Untitled SessionShowDismiss'], [{ sessionId: 's3' }], [{ target: { reason: 'resume', sessionId: 's2' } }],
    ]);
  });

  test('are not all named where there are many', async () => {
    await open();
    await page.tell('background', ['s2', 's3', 's4', 's5', 's6'].map((sessionId) => ({ sessionId, title: sessionId, state: 'running' as const })));
    expect([...document.querySelectorAll('.strip-background .strip-words')].map((line) => line.textContent)).toEqual(['Also running: s2', 'Also running: s3', 'Also running: s4', 'and 2 more sessions']);
  });

  test('that ended unseen are marked in the list of recent ones', async () => {
    page = new ChatPage();
    await page.bootstrap(null, { recentSessions: [summary('s2', 'Explain the build', { unread: true }), summary('s3', 'Rename the store')] });
    expect([...document.querySelectorAll('.recent-item')].map((item) => item.textContent)).toEqual(['Explain the buildunreadnowContinue last session', 'Rename the storenow']);
  });
});
