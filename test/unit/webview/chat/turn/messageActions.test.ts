// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import type { ShownSession } from '../../../../../src/protocol/chatProtocol';
import { continuationPart } from '../../../../../src/transcript/continuation';
import {
  answer,
  call,
  prompt,
  result,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../../../../support/builders/viewMessages';
import { type ChatPage, openChat } from '../chatPage';
import { all, find, nameOf, names } from '../../elements';
import { inArticle, rows, threeTurns, turns } from '../../page/threeTurns';

let page: ChatPage;

const toolbarsOf = (uid: string) =>
  [...document.querySelectorAll<HTMLElement>(`article[data-uid=${uid}] [role=toolbar]`)].map((bar) =>
    [...bar.querySelectorAll('button')].map(nameOf),
  );
const shownTexts = () =>
  all('article').map((article) => article.querySelector('[data-part=text]')?.textContent?.trim());

async function open(
  shown: ShownSession | null = threeTurns,
  recalled: ConstructorParameters<typeof ChatPage>[0] = {},
): Promise<void> {
  page = await openChat(shown, {}, recalled);
}

describe('the actions of a message', () => {
  test('are in a toolbar of their own, with Retry only at the last answer', async () => {
    await open();
    expect([toolbarsOf('u1'), toolbarsOf('a1'), toolbarsOf('a3'), names('toolbar')]).toEqual([
      [['Edit & Resend', 'Branch from Here', 'Rewind to Here…', 'Copy Prompt']],
      [['Branch from Here', 'Copy Answer', 'Copy Turn as Markdown']],
      [['Retry', 'Branch from Here', 'Copy Answer', 'Copy Turn as Markdown']],
      ['Prompt Actions', 'Answer Actions', 'Prompt Actions', 'Answer Actions', 'Prompt Actions', 'Answer Actions'],
    ]);
  });

  test('are one Tab stop, moved through with the arrow keys', async () => {
    await open();
    const stops = () =>
      [...(document.querySelector('article[data-uid=u1] [role=toolbar]')?.querySelectorAll('button') ?? [])].map(
        (button) => button.tabIndex,
      );
    const before = stops();
    inArticle('u1', 'Edit & Resend').focus();
    const seen: string[] = [];
    for (const key of ['ArrowRight', 'ArrowRight', 'End', 'ArrowRight', 'ArrowLeft', 'Home']) {
      await page.key(key);
      seen.push(nameOf(document.activeElement ?? document.body));
    }
    expect([before, seen, stops()]).toEqual([
      [0, -1, -1, -1],
      ['Branch from Here', 'Rewind to Here…', 'Copy Prompt', 'Edit & Resend', 'Copy Prompt', 'Edit & Resend'],
      [0, -1, -1, -1],
    ]);
  });

  test('are moved through one by one even when keys follow each other before the page is rendered again', async () => {
    await open();
    inArticle('u1', 'Edit & Resend').focus();
    for (let pressed = 0; pressed < 3; pressed++)
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }),
      );
    expect(nameOf(document.activeElement ?? document.body)).toBe('Copy Prompt');
  });

  test('are refused during an answer if they would change its basis; branching is allowed', async () => {
    await open({
      ...threeTurns,
      openTurn: runningTurn('turn4', 'u4'),
      messages: [...rows, prompt({ uid: 'u4', position: 40, turnUid: 'turn4' }, 'Question 4')],
    });
    const disabled = (uid: string) =>
      [...document.querySelectorAll(`article[data-uid=${uid}] button[aria-disabled=true]`)].map(nameOf);
    await page.click(inArticle('u1', 'Edit & Resend'));
    await page.click(inArticle('u1', 'Rewind to Here…'));
    await page.click(inArticle('a1', 'Branch from Here'));
    expect([
      disabled('u1'),
      disabled('u4'),
      disabled('a1'),
      names('textbox'),
      names('group'),
      page.sent('switchSession'),
    ]).toEqual([
      ['Edit & Resend', 'Rewind to Here…'],
      ['Edit & Resend', 'Branch from Here', 'Rewind to Here…'],
      [],
      ['Message'],
      [],
      [{ target: { reason: 'branch', sessionId: session().id, from: 'a1' } }],
    ]);
  });

  test('are requested once, however often they are pressed', async () => {
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

  test('branch from an answer after which its turn continued', async () => {
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
      [{ target: { reason: 'branch', sessionId: session().id, from: 'a1' } }],
      [{ text: 'I look.' }, { text: 'I look.\n\nBecause.' }],
    ]);
  });
});

describe('Edit & Resend', () => {
  const editor = () => find('textbox', 'Edit prompt');

  test('edits in place; Escape cancels it without a message to the host and returns the focus', async () => {
    await open();
    await page.click(inArticle('u2', 'Edit & Resend'));
    const begun = [
      editor() instanceof HTMLTextAreaElement && document.activeElement === editor(),
      Reflect.get(editor(), 'value'),
    ];
    await page.fill(editor(), 'Something else');
    const pressed = await page.key('Escape');
    expect([
      begun,
      pressed.defaultPrevented,
      names('textbox'),
      shownTexts()[2],
      page.sent('editAndResend'),
      page.sent('stop'),
      nameOf(document.activeElement ?? document.body),
    ]).toEqual([[true, 'Question 2'], true, ['Message'], 'Question 2', [], [], 'Edit & Resend']);
  });

  test('sends with Enter, never with that of an input method, and closes only once the prompt is on disk', async () => {
    await open();
    await page.click(inArticle('u2', 'Edit & Resend'));
    await page.fill(editor(), 'Question two');
    await page.key('Enter', { isComposing: true });
    await page.key('Enter', { shiftKey: true });
    await page.key('Enter');
    const onItsWay = [names('textbox'), page.sent('editAndResend')];
    await page.answer('editAndResend', { sessionId: session().id, notice: null });
    const request = { turnUid: 'turn2', text: 'Question two', uid: 'uid1' };
    expect([onItsWay, names('textbox'), page.sent('editAndResend'), page.memory.edits]).toEqual([
      [['Edit prompt', 'Message'], [request]],
      ['Message'],
      [request],
      [],
    ]);
  });

  test('that is refused keeps the text and shows why; sent again unchanged it is the same prompt', async () => {
    await open();
    await page.click(inArticle('u2', 'Edit & Resend'));
    await page.fill(editor(), 'Question two');
    await page.key('Enter');
    await page.refuse('editAndResend', 'Another answer is being written.');
    const refused = [names('alert'), Reflect.get(editor(), 'value')];
    editor().focus();
    await page.key('Enter');
    const uids = page
      .sent('editAndResend')
      .map((payload) => (typeof payload === 'object' && payload !== null && 'uid' in payload ? payload.uid : null));
    expect([refused, uids]).toEqual([
      [['Another answer is being written.'], 'Question two'],
      ['uid1', 'uid1'],
    ]);
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

  const draft = { key: `edit/turn2/${session().id}` };

  test('is saved by the host too, until it is given up or sent', async () => {
    await open();
    await page.click(inArticle('u2', 'Edit & Resend'));
    await page.fill(editor(), 'Half');
    await page.fill(editor(), 'Half a thou');
    await page.clock.advance(300);
    await page.key('Escape');
    await page.click(inArticle('u2', 'Edit & Resend'));
    await page.fill(editor(), 'Question two');
    await page.key('Enter');
    const atEnter = page.sent('saveDraft').at(-1);
    await page.answer('editAndResend', { sessionId: session().id, notice: null });
    expect([page.sent('saveDraft').map((saved) => Reflect.get(Object(saved), 'text')), atEnter]).toEqual([
      ['Half a thou', '', 'Question two', ''],
      { ...draft, text: 'Question two' },
    ]);
  });

  test.each([
    ['is given again when only the host still has it', 'Question 2', 'Question two', 'Question two'],
    ['is the longer one of view and host', 'Quest', 'Question two', 'Question two'],
    ['is the one of the view where that is another', 'Something else', 'Question two', 'Something else'],
    ['stays where the host has none', 'Something else', '', 'Something else'],
  ])('%s', async (_name, kept, saved, expected) => {
    await open(threeTurns, { edits: [{ turnUid: 'turn2', text: kept }] });
    expect(page.sent('draft')).toEqual([draft]);
    await page.answer('draft', saved);
    expect(Reflect.get(editor(), 'value')).toBe(expected);
  });

  test('typed while the store was in another window is given to the host again', async () => {
    await open();
    await page.click(inArticle('u2', 'Edit & Resend'));
    await page.bootstrap(threeTurns, {
      store: { kind: 'elsewhere', readable: false, sentence: 'Continued there.', actions: [] },
    });
    await page.fill(editor(), 'Half a thou');
    await page.clock.advance(300);
    await page.refuse('saveDraft', 'Continued in another window.');
    await page.bootstrap(threeTurns);
    expect(page.sent('saveDraft')).toEqual([
      { ...draft, text: 'Half a thou' },
      { ...draft, text: 'Half a thou' },
    ]);
  });
});

describe('versions of a prompt', () => {
  const again = { ...settledTurn('turn4', 'u4'), supersedes: 'turn2' };
  const secondVersion = shownSession({
    messages: [
      ...rows.slice(0, 2),
      prompt({ uid: 'u4', position: 40, turnUid: 'turn4' }, 'Question two'),
      answer({ uid: 'a4', position: 41, turnUid: 'turn4' }, ['Answer two']),
    ],
    turns: [...turns.slice(0, 1), again],
    versions: [{ turnUid: 'turn4', versions: ['turn2', 'turn4'] }],
    changed: true,
  });
  const place = () => names('group');

  test('replace the earlier content as soon as the turn begins, before anything is read again', async () => {
    await open();
    await page.event({
      kind: 'turnOpened',
      turn: { ...runningTurn('turn4', 'u4'), supersedes: 'turn2' },
      userMessage: prompt({ uid: 'u4', position: 40, turnUid: 'turn4' }, 'Question two'),
    });
    expect([shownTexts(), place()]).toEqual([['Question 1', 'Answer 1', 'Question two'], ['Version 2 of 2']]);
  });

  test('are stepped through back and forth, each with what followed it, and the focus stays', async () => {
    await open();
    await page.tell('shown', secondVersion);
    const second = [shownTexts(), place(), find('button', 'Next Version').hasAttribute('disabled')];
    await page.press('Previous Version');
    await page.tell('shown', {
      ...threeTurns,
      versions: [{ turnUid: 'turn2', versions: ['turn2', 'turn4'] }],
      changed: true,
    });
    await page.answer('showVersion', null);
    const first = [shownTexts(), place(), nameOf(document.activeElement ?? document.body)];
    await page.press('Next Version');
    expect([second, first, page.sent('showVersion')]).toEqual([
      [['Question 1', 'Answer 1', 'Question two', 'Answer two'], ['Version 2 of 2'], true],
      [
        ['Question 1', 'Answer 1', 'Question 2', 'Answer 2', 'Question 3', 'Answer 3'],
        ['Version 1 of 2'],
        'Next Version',
      ],
      [{ turnUid: 'turn2' }, { turnUid: 'turn4' }],
    ]);
  });

  test('leave nothing of another version that was loaded from earlier pages', async () => {
    await open({ ...threeTurns, messages: rows.slice(2), hasEarlier: true });
    document.querySelector<HTMLElement>('.earlier')?.click();
    await page.answer('loadEarlier', {
      messages: rows.slice(0, 2),
      turns: turns.slice(0, 1),
      versions: [],
      changes: {},
      hasEarlier: false,
    });
    const many = [41, 42, 43].map((position) =>
      answer({ uid: `b${position}`, position, turnUid: 'turn4' }, [`Part ${position}`]),
    );
    await page.tell('shown', { ...secondVersion, messages: many, hasEarlier: true });
    expect(shownTexts()).toEqual(['Part 41', 'Part 42', 'Part 43']);
  });
});

describe('Rewind to Here…', () => {
  const card = () => all('group').find((group) => nameOf(group) === 'Rewind to Here');

  test('shows how many turns it removes, and does nothing until it is confirmed', async () => {
    await open();
    await page.click(inArticle('u2', 'Rewind to Here…'));
    const words = card()?.querySelector('p')?.textContent;
    await page.key('Escape');
    await page.click(inArticle('u3', 'Rewind to Here…'));
    const one = card()?.querySelector('p')?.textContent;
    const before = page.sent('switchSession');
    await page.press('Rewind');
    expect([
      words?.startsWith('Rewind to before this prompt (2 turns)?'),
      one?.includes('(1 turn)'),
      before,
      page.sent('switchSession'),
      page.sent('stop'),
    ]).toEqual([true, true, [], [{ target: { reason: 'rewind', sessionId: session().id, to: 'u3' } }], []]);
  });

  test('puts the prompt into the composer, before the text typed earlier and meanwhile', async () => {
    await open();
    await page.type('half a thought');
    await page.click(inArticle('u2', 'Rewind to Here…'));
    await page.press('Rewind');
    const saved = page.sent('saveDraft');
    await page.type('half a thought, and more');
    await page.tell('shown', {
      ...threeTurns,
      messages: rows.slice(0, 2),
      draft: 'Question 2\n\nhalf a thought',
      changed: true,
    });
    await page.answer('switchSession', { sessionId: session().id, notice: null });
    expect([saved, page.composer.value, shownTexts(), names('status').at(0)]).toEqual([
      [{ key: session().id, text: 'half a thought' }],
      'Question 2\n\nhalf a thought, and more',
      ['Question 1', 'Answer 1'],
      'Rewound. The prompt is in the input box. Nothing was deleted.',
    ]);
  });

  test('counts an answer that was continued as one turn', async () => {
    const goOn = { ...prompt({ uid: 'u2', position: 20, turnUid: 'turn2' }, ''), parts: [continuationPart()] };
    await open({ ...threeTurns, messages: rows.map((row) => (row.uid === 'u2' ? goOn : row)) });
    await page.click(inArticle('u1', 'Rewind to Here…'));
    expect(card()?.querySelector('p')?.textContent?.includes('(2 turns)')).toBe(true);
  });

  test('mentions a summary after the prompt', async () => {
    const earlier = rows.map((row) => ({ ...row, sessionId: 'segment0' }));
    await open({ ...threeTurns, messages: earlier });
    await page.click(inArticle('u2', 'Rewind to Here…'));
    expect(card()?.querySelector('p')?.textContent).toBe(
      'This prompt comes before a summary, so Hermes rewinds in a new branch. This session doesn’t change.',
    );
  });
});
