// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import {
  answer,
  call,
  delivered,
  modelRow,
  prompt,
  result,
  runningTurn,
  session,
  sessionSummary,
  settledTurn,
  shownSession,
} from '../../../support/builders/viewMessages';
import type { JsonValue } from '../../../../src/transcript/json';
import type { TurnActivity, TurnEvent } from '../../../../src/transcript/turnEvent';
import { conversationFrom } from '../../../../src/webview/chat/state/conversation';
import { textPlace } from '../../../../src/webview/chat/feed/feedText';
import { todosFoldKey } from '../../../../src/webview/chat/state/foldState';
import { ChatPage, openChat } from './chatPage';
import { all, find, nameOf, names, texts } from '../elements';

let page: ChatPage;

const question = prompt({ uid: 'u1', position: 1 }, 'Why?');
const time = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const at = (seconds: number): string => time.format(new Date(seconds * 1000));

describe('a conversation', () => {
  test('has the roles and names by which screen readers and tests find things', async () => {
    page = new ChatPage();
    const said = answer({ uid: 'a1', position: 2 }, [
      { kind: 'thinking', text: 'hm' },
      '**Because**',
      call('c1', 'read_file', { path: 'src/upload.ts' }),
      call('c2', 'search_files', { query: 'retry' }),
    ]);
    const looked = result({ uid: 'r1', position: 3 }, 'c1', 'read_file', 'text', 'done', { lines: 3 });
    const turn = runningTurn();
    await page.bootstrap(
      shownSession({
        messages: [question, said, looked],
        openTurn: turn,
        activity: { kind: 'runningTool', callId: 'c2', startedAt: turn.startedAt },
      }),
    );
    const articles = all('article').map((article) => [
      nameOf(article),
      article.dataset['uid'],
      article.dataset['state'],
    ]);
    expect({
      feed: names('feed'),
      articles,
      groups: names('group'),
      composer: names('textbox'),
      model: names('combobox'),
    }).toEqual({
      feed: ['Conversation'],
      articles: [
        [`You, ${at(question.createdAt)}`, 'u1', 'saved'],
        [`Hermes, ${at(said.createdAt)}`, 'a1', 'saved'],
      ],
      groups: ['Tool: read_file src/upload.ts, done', 'Tool: search_files retry, running'],
      composer: ['Message'],
      model: ['Model', 'Mode'],
    });
  });

  test('shows when memory keeps a prompt waiting, and lets the user skip it', async () => {
    page = await openChat(shownSession({ messages: [question], openTurn: runningTurn() }));
    await page.event({ kind: 'activity', turnUid: 'turn1', activity: { kind: 'recalling', startedAt: 1 } });
    const line = (): string | undefined => document.querySelector('.activity')?.textContent;
    await expect.poll(line).toBe('Searching memory…Skip');
    await page.press('Skip');
    expect(page.sent('skipRecall')).toEqual([{ sessionId: session().id, turnUid: 'turn1' }]);
  });

  test('puts a failure under the prompt with its next steps, and keeps the details for the clipboard', async () => {
    page = new ChatPage();
    const failure = {
      cause: 'auth' as const,
      sentence: 'The key was refused (401). Your prompt is saved.',
      technical: 'HTTP 401',
    };
    const turn = settledTurn('turn1', 'u1', { outcome: 'failed', stopReason: 'error', failure });
    await page.bootstrap(shownSession({ messages: [question], turns: [turn] }));
    const notice = find('group', 'How the turn ended');
    const buttons = [...notice.querySelectorAll('button')].map(nameOf);
    await page.press('Retry');
    await page.press('Show Details');
    await page.press('Copy Details');
    expect({
      sentence: notice.textContent?.startsWith(failure.sentence),
      shown: notice.textContent?.includes('HTTP 401'),
      buttons,
      retried: page.sent('retry'),
      copied: JSON.stringify(page.sent('copy')).includes('HTTP 401'),
    }).toEqual({
      sentence: true,
      shown: true,
      buttons: ['Replace Key…', 'Choose Model', 'Retry', 'Show Details'],
      retried: [{ turnUid: 'turn1' }],
      copied: true,
    });
  });

  test.each([
    ['auth', 'Replace Key…'],
    ['noKey', 'Paste a Key'],
  ] as const)('retries the turn once a key was set, and not before: %s', async (cause, button) => {
    page = new ChatPage();
    const failure = { cause, sentence: 'The key was refused (401).', technical: 'HTTP 401' };
    const turn = settledTurn('turn1', 'u1', { outcome: 'failed', stopReason: 'error', failure });
    await page.bootstrap(shownSession({ messages: [question], turns: [turn] }));
    await page.press(button);
    await page.answer('replaceKey', false);
    await page.settle();
    const afterLeaving = page.sent('retry').length;
    await page.press(button);
    await page.answer('replaceKey', true);
    await page.settle();
    expect([afterLeaving, page.sent('replaceKey'), page.sent('retry')]).toEqual([
      0,
      [{ turnUid: 'turn1' }, { turnUid: 'turn1' }],
      [{ turnUid: 'turn1' }],
    ]);
  });

  test('folds an earlier failure into one line, with its details', async () => {
    page = new ChatPage();
    const failure = { cause: 'network' as const, sentence: 'Can’t reach Local. Retry.', technical: 'ECONNREFUSED' };
    await page.bootstrap(
      shownSession({
        messages: [
          question,
          prompt({ uid: 'u2', position: 5, turnUid: 'turn2' }, 'Again'),
          answer({ uid: 'a2', position: 6, turnUid: 'turn2' }, ['Yes.']),
        ],
        turns: [
          settledTurn('turn1', 'u1', { outcome: 'failed', stopReason: 'error', failure }),
          settledTurn('turn2', 'u2'),
        ],
      }),
    );
    const ended = find('group', 'How the turn ended');
    const folded = [...ended.querySelectorAll('button')].map(nameOf);
    await page.click(find('button', failure.sentence));
    expect([folded, ended.textContent?.includes('ECONNREFUSED')]).toEqual([[failure.sentence], true]);
  });

  test('says why an answer is requested again until something arrives', async () => {
    page = await openChat(shownSession({ messages: [question], openTurn: runningTurn() }));
    const failure = { cause: 'empty' as const, sentence: 'The model returned an empty answer. Retry.', technical: '' };
    const activity = (activity: TurnActivity): Promise<void> =>
      page.event({ kind: 'activity', turnUid: 'turn1', activity });
    await activity({ kind: 'retrying', attempt: 2, attempts: 4, delayMs: 0, failure });
    await activity({ kind: 'requesting', elapsedMs: 0 });
    const line = (): string | undefined => document.querySelector('.activity')?.textContent;
    await expect.poll(line).toBe('The model returned an empty answer. Retrying (attempt 2 of 4).');
    await activity({ kind: 'answering' });
    await activity({ kind: 'requesting', elapsedMs: 0 });
    await expect.poll(line).toMatch(/^Waiting for /);
  });

  test('leaves out hidden and closing rows and answers that were retried', async () => {
    page = new ChatPage();
    const closing = answer({ uid: 'h1', position: 2, turnUid: 'turn0', visibility: { kind: 'closing' } }, [
      '(stopped)',
    ]);
    const hidden = answer(
      {
        uid: 'h2',
        position: 3,
        turnUid: 'turn0',
        visibility: { kind: 'hidden', reason: 'dropped', absorbedInto: null },
      },
      ['dropped'],
    );
    const again = { ...runningTurn('turn2', 'u2'), supersedes: 'turn1' };
    const tried = answer({ uid: 'a1', position: 3 }, ['first try']);
    await page.bootstrap(
      shownSession({
        messages: [closing, hidden, question, tried],
        turns: [settledTurn('turn0', 'u0'), settledTurn()],
      }),
    );
    await page.event({
      kind: 'turnOpened',
      turn: again,
      userMessage: prompt({ uid: 'u2', position: 5, turnUid: 'turn2' }, 'Why?'),
    });
    expect(all('article').map((article) => article.dataset['uid'])).toEqual(['u2']);
  });

  test('shows what the user added to a running turn in place, between the reads it separates', async () => {
    page = new ChatPage();
    const rows = [
      question,
      answer({ uid: 'a1', position: 2 }, [
        call('c1', 'read_file', { path: 'a.ts' }),
        call('c2', 'read_file', { path: 'b.ts' }),
      ]),
      result({ uid: 'r1', position: 3 }, 'c1', 'read_file', 'x'),
      result({ uid: 'r2', position: 4 }, 'c2', 'read_file', 'x'),
      prompt({ uid: 's1', position: 5 }, 'only the title'),
      answer({ uid: 'a2', position: 6 }, [call('c3', 'read_file', { path: 'c.ts' })]),
      result({ uid: 'r3', position: 7 }, 'c3', 'read_file', 'x'),
    ];
    await page.bootstrap(shownSession({ messages: rows.slice(0, 4), openTurn: runningTurn() }));
    for (const message of rows.slice(4)) await page.event({ kind: 'messageStored', message });
    const articles = all('article').map((article) => [
      article.dataset['uid'],
      article.querySelector('[data-part=text]')?.textContent ?? null,
    ]);
    expect([articles, names('button').filter((name) => name.startsWith('Read '))]).toEqual([
      [
        ['u1', 'Why?'],
        ['a1', null],
        ['s1', 'only the title'],
        ['a2', null],
      ],
      [],
    ]);
  });

  test('folds consecutive reads into one line that opens', async () => {
    page = new ChatPage();
    const rows = ['a', 'b', 'c'].flatMap((letter, index) => [
      answer({ uid: letter, position: 2 + index * 2 }, [call(`c${letter}`, 'read_file', { path: `${letter}.ts` })]),
      result({ uid: `r${letter}`, position: 3 + index * 2 }, `c${letter}`, 'read_file', 'x'),
    ]);
    await page.bootstrap(
      shownSession({
        messages: [question, ...rows, answer({ uid: 'z', position: 20 }, ['Done.'])],
        turns: [settledTurn()],
      }),
    );
    const fold = find('button', 'Read 3 files');
    const closed = fold.getAttribute('aria-expanded');
    await page.click(fold);
    expect([closed, fold.getAttribute('aria-expanded'), page.memory.openFolds]).toEqual(['false', 'true', ['reads-a']]);
  });

  test('folds all updates of the todo list in a turn into one line, where the first one is', async () => {
    page = new ChatPage();
    const todos = (done: number): JsonValue => ({
      kind: 'todos',
      items: ['a', 'b'].map((text, index) => ({ text, state: index < done ? 'done' : 'pending' })),
    });
    const calls = ['todo_write', 'edit_file', 'todo_write', 'edit_file', 'todo_write'];
    const rows = calls.flatMap((name, index) => [
      answer({ uid: `a${index}`, position: 2 + index * 2 }, [call(`c${index}`, name, { path: `${index}.ts` })]),
      result(
        { uid: `r${index}`, position: 3 + index * 2 },
        `c${index}`,
        name,
        'ok',
        'done',
        name === 'todo_write' ? todos(index / 2) : null,
      ),
    ]);
    const shown = shownSession({
      messages: [question, ...rows, answer({ uid: 'z', position: 20 }, ['Done.'])],
      turns: [settledTurn()],
    });
    await page.bootstrap(shown);
    const lines = (): readonly (string | undefined)[] =>
      [...document.querySelectorAll('article:not([hidden]) :is(.fold-button, .tool-line)')].map((line) =>
        texts('span:not(.codicon, .tool-state)', line).join(' '),
      );
    const folded = lines();
    await page.press('Updated todos');
    const last = textPlace(conversationFrom(shown, 0), {
      messageUid: 'r4',
      turnUid: 'turn1',
      position: 11,
      kind: 'tool',
      part: 0,
      callId: 'c4',
      count: 1,
    });
    expect([folded, lines(), last?.articleUid, last?.folds]).toEqual([
      ['Updated todos', 'Edited 1.ts', 'Edited 3.ts'],
      [
        'Updated todos',
        'Updated todos 0 of 2 done',
        'Updated todos 1 of 2 done',
        'Updated todos 2 of 2 done',
        'Edited 1.ts',
        'Edited 3.ts',
      ],
      'a0',
      ['call:c4', 'a0:0', todosFoldKey('c0')],
    ]);
  });

  test('says how long the model thought, also after a reload of the view', async () => {
    const open = shownSession({ messages: [question], openTurn: runningTurn() });
    const thinks = (messageUid: string, seq: number, part: number, kind: 'thinking' | 'text'): TurnEvent => ({
      kind: 'delivered',
      turnUid: 'turn1',
      chunks: [{ messageUid, seq, part, kind, start: 0, text: 'hm' }],
    });
    const thought = (): readonly string[] => names('button').filter((name) => name.startsWith('Thought'));
    page = await openChat(open);
    await page.event(thinks('a1', 1, 0, 'thinking'));
    await page.clock.advance(4000);
    await page.event(thinks('a1', 2, 1, 'text'));
    await page.event(thinks('a2', 1, 0, 'thinking'));
    await page.clock.advance(300);
    await page.event(thinks('a2', 2, 1, 'text'));
    const watched = thought();
    const { memory } = page;
    page = new ChatPage(memory);
    const stored = ['a1', 'a2', 'a3'].map((uid, index) =>
      answer({ uid, position: 2 + index }, [{ kind: 'thinking', text: 'hm' }, 'hm']),
    );
    await page.bootstrap(shownSession({ messages: [question, ...stored], turns: [settledTurn()] }));
    expect([watched, thought()]).toEqual([
      ['Thought for 4 s', 'Thought for <1 s'],
      ['Thought for 4 s', 'Thought for <1 s', 'Thought'],
    ]);
  });

  test('reads the stored message when a chunk is missing', async () => {
    page = await openChat(shownSession({ messages: [question], openTurn: runningTurn() }));
    await page.event(delivered('turn1', 'a1', 2, 4, 'text'));
    const asked = page.sent('readMessage');
    await page.answer(
      'readMessage',
      answer({ uid: 'a1', position: 2 }, ['the text'], { state: 'streaming', lastSeq: 2 }),
    );
    expect([asked, document.querySelector('[data-part=text] .markdown')?.textContent?.trim()]).toEqual([
      [{ uid: 'a1' }],
      'the text',
    ]);
  });
});

describe('the empty state', () => {
  test('offers found models, one button each, and shows how old sessions are', async () => {
    page = new ChatPage();
    const entries = [
      {
        id: 'e1',
        kind: 'localServer' as const,
        title: 'Found Ollama on this machine: 5 models',
        detail: 'Prompts stay here',
      },
    ];
    const recent = [sessionSummary({ lastTurn: { state: 'interrupted' } })];
    await page.bootstrap(null, {
      model: { chosen: null, problem: null },
      setup: { searching: false, entries },
      recentSessions: recent,
    });
    await page.press('Found Ollama on this machine: 5 modelsPrompts stay here');
    await page.press('Fix flaky upload testinterruptednowContinue the last session');
    expect([page.sent('setUp'), page.sent('switchSession')]).toEqual([
      [{ entryId: 'e1' }],
      [{ target: { reason: 'resume', sessionId: session().id } }],
    ]);
  });

  test('lists five recent sessions, and says in the first what its title does not say', async () => {
    const recent = (id: string, title: string | null, preview: string) => sessionSummary({ id, title, preview });
    const first = async (title: string | null, preview: string): Promise<string | null | undefined> => {
      page = await openChat(null, { recentSessions: [recent('s0', title, preview)] });
      return document.querySelector('.recent-words')?.textContent;
    };
    page = await openChat(null, {
      recentSessions: Array.from({ length: 8 }, (_, index) => recent(`s${index}`, `Session ${index}`, 'Why?')),
    });
    expect([
      document.querySelectorAll('.recent-item').length,
      await first('Flaky test', 'Why does it fail?'),
      await first('Why does  it…', 'why does it fail?'),
      await first(null, 'Why does it fail?'),
    ]).toEqual([
      5,
      'Continue the last session · Why does it fail?',
      'Continue the last session',
      'Continue the last session',
    ]);
  });

  test('keeps a prompt that was sent without a model, and explains what to do', async () => {
    page = await openChat(null, { model: { chosen: null, problem: null } });
    await page.type('Why is the sky blue?');
    await page.press('Send');
    expect([page.submitted(), page.composer.value, nameOf(all('alert')[0] ?? document.body)]).toEqual([
      [],
      'Why is the sky blue?',
      'Choose a model first. Your prompt is kept.Choose Model',
    ]);
  });
});

describe('strips', () => {
  test('say of the session in sight alone that a newer version continued it', async () => {
    const sentence = 'This session was saved by a newer version of Hermes on another machine.';
    const shown = shownSession({ messages: [question] });
    const strips = async (conversationId: string): Promise<readonly string[]> => {
      const refused = [{ conversationId, sentence }];
      page = await openChat(shown, { sync: { line: 'Saved here', state: 'failed', refused, turn: null } });
      return all('alert').map(nameOf);
    };
    expect([await strips(shown.session.conversationId), await strips('another')]).toEqual([[sentence], []]);
  });

  test('report a failure to save, loudly and with next steps', async () => {
    page = await openChat(shownSession({ messages: [question] }), {
      store: {
        kind: 'failed',
        cause: 'full',
        sentence: 'The disk is full.',
        technical: 'ENOSPC',
        actions: [{ action: 'retry', label: 'Try Again' }],
      },
    });
    await page.press('Try Again');
    await page.press('Copy Details');
    expect([
      nameOf(all('alert')[0] ?? document.body),
      page.sent('runAction'),
      page.sent('copy'),
      all('article').length,
    ]).toEqual(['The disk is full.Try AgainCopy Details', [{ action: 'retry' }], [{ text: 'ENOSPC' }], 1]);
  });

  test('withdraw what another window refused once the sessions are open here, and nothing else', async () => {
    const elsewhere = { kind: 'elsewhere', readable: true, sentence: 'Elsewhere.', actions: [] } as const;
    const left = async (cause: string) => {
      page = await openChat(shownSession({ messages: [question] }), { store: elsewhere });
      await page.type('Why?');
      await page.press('Send');
      await page.refuse('submit', 'Choose Take Over to continue here.', cause);
      await page.tell('store', { ...elsewhere, sentence: 'Taking over…' });
      const before = names('alert');
      await page.tell('store', { kind: 'open', notices: [] });
      return [before, names('alert'), page.composer.value];
    };
    expect([await left('locked'), await left('network')]).toEqual([
      [['Choose Take Over to continue here.'], [], 'Why?'],
      [['Choose Take Over to continue here.'], ['Choose Take Over to continue here.'], 'Why?'],
    ]);
  });

  test('show as long as it lasts that Demo is not AI', async () => {
    page = await openChat(null, { model: { chosen: modelRow({ isDemo: true }), problem: null } });
    expect(names('note')).toEqual(['Demo: scripted, not AIChoose a Model']);
  });
});

describe('the model picker', () => {
  test('shows for every model where prompts go, finds one, and chooses it by keyboard', async () => {
    page = await openChat(shownSession());
    await page.click(find('combobox', 'Model'));
    const claude = modelRow({
      ref: 'OpenRouter/claude',
      label: 'Claude',
      destination: 'openrouter.ai',
      contextWindow: 200_000,
      price: { input: 3, output: 15 },
      warnings: ['Slow today.'],
    });
    await page.answer('listModels', { models: [modelRow(), claude], problems: [] });
    const listed = names('option');
    await page.fill(find('combobox', 'Search Models'), 'clau');
    await page.key('Enter');
    expect([listed, page.sent('selectModel')]).toEqual([
      [
        'qwen3:8bselected127.0.0.1:1143441K context',
        'Claudeopenrouter.ai200K context$3 in, $15 out per million Slow today.',
      ],
      [{ sessionId: session().id, ref: 'OpenRouter/claude' }],
    ]);
  });
});
