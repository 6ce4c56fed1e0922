// @vitest-environment happy-dom
import { createElement, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { protocolVersion } from '../../../src/protocol/envelope';
import type { RowRevision, TranscriptNotifications, TranscriptRows } from '../../../src/protocol/transcriptProtocol';
import type { Message } from '../../../src/protocol/transcriptWords';
import { connectToHost } from '../../../src/webview/rpc';
import { TranscriptApp } from '../../../src/webview/transcript/components/TranscriptApp';
import { TranscriptController, type TranscriptViewProtocol } from '../../../src/webview/transcript/transcriptController';
import type { TranscriptMemory } from '../../../src/webview/transcript/transcriptMemory';
import { transcriptState, treeBranch } from '../../support/builders/transcriptState';
import { answer, call, prompt, result, session, settledTurn } from '../../support/builders/viewMessages';
import { all, find } from './chatPage';

// See chatComponents.test.ts.
vi.mock('../../../src/webview/markdown/sanitizer', () => ({
  sanitizedFragment: (html: string): DocumentFragment => document.createRange().createContextualFragment(html),
}));

const rows: readonly Message[] = [
  prompt({ uid: 'u1', position: 1 }, 'Why **this**?'),
  answer({ uid: 'a1', position: 2 }, [call('c1', 'read_file', { path: 'a.ts' })]),
  result({ uid: 'r1', position: 3 }, 'c1', 'read_file', 'gone', 'failed'),
  answer({ uid: 'h1', position: 4, visibility: { kind: 'hidden', reason: 'retried', absorbedInto: null } }, ['first try']),
  answer({ uid: 'a2', position: 5 }, ['**Because**']),
  answer({ uid: 'k1', position: 6, turnUid: 'turn2', visibility: { kind: 'closing' } }, ['(stopped)']),
];

const stored = (messages: readonly Message[], hasEarlier = false, total = messages.length): TranscriptRows => ({
  messages,
  turns: [settledTurn(), settledTurn('turn2', 'u2', { outcome: 'interrupted', stopReason: 'user' })],
  hasEarlier,
  later: 0,
  total,
});

class Tab {
  readonly posted: { readonly name: string; readonly payload: unknown; readonly id: number }[] = [];
  kept: TranscriptMemory | null = null;
  private readonly channel = new EventTarget();
  private readonly root = document.body.appendChild(document.createElement('div'));

  constructor(recalled: TranscriptMemory | null = null) {
    const post = (message: unknown): void => {
      if (typeof message !== 'object' || message === null || !('name' in message) || typeof message.name !== 'string' || !('payload' in message)) throw new Error('Not a message');
      this.posted.push({ name: message.name, payload: message.payload, id: 'id' in message && typeof message.id === 'number' ? message.id : 0 });
    };
    const transcript = new TranscriptController({
      host: connectToHost<TranscriptViewProtocol>({ postMessage: post, getState: () => undefined, setState: () => undefined }, this.channel),
      recalled,
      keep: (memory) => (this.kept = memory),
      nowMs: () => 0,
      setLocalization: () => undefined,
    });
    act(() => render(createElement(TranscriptApp, { transcript }), this.root));
    transcript.start();
  }

  async bootstrap(read: TranscriptRows | null, problem: string | null = null, reveal: string | null = null): Promise<void> {
    await this.tell('bootstrap', { ...transcriptState({}, { problem, reveal }), rows: read });
  }

  async tell<Name extends keyof TranscriptNotifications>(name: Name, payload: TranscriptNotifications[Name]): Promise<void> {
    await this.say({ kind: 'notification', name, payload });
  }

  async say(message: object): Promise<void> {
    await act(async () => {
      this.channel.dispatchEvent(new MessageEvent('message', { data: { v: protocolVersion, ...message } }));
      await new Promise((resolve) => setTimeout(resolve));
    });
  }

  async answer(result: TranscriptRows | readonly RowRevision[], asked = 'loadRows'): Promise<void> {
    const request = this.posted.findLast(({ name }) => name === asked);
    await this.say({ kind: 'response', id: request?.id, ok: true, result });
  }

  async select(uid: string): Promise<void> {
    await act(() => all('row').find((row) => row.dataset['uid'] === uid)?.focus());
  }

  /** The row that has the focus then. */
  async key(key: string): Promise<string | undefined> {
    await act(() => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })));
    return document.activeElement instanceof HTMLElement ? document.activeElement.dataset['uid'] : undefined;
  }

  async press(name: string): Promise<void> {
    await act(() => find('button', name).click());
  }

  close(): void {
    act(() => render(null, this.root));
    this.root.remove();
  }
}

let tab: Tab;
afterEach(() => tab.close());

const shownRows = (): readonly (readonly (string | undefined)[])[] =>
  all('row')
    .filter((row) => row.dataset['uid'] !== undefined)
    .map((row) => [row.dataset['uid'], ...['.cell-number', '.cell-role', '.cell-state'].map((cell) => row.querySelector(cell)?.textContent ?? '')]);

describe('the transcript tab', () => {
  test('lists what is stored in order, with why each turn ended, and hidden rows on demand with the reason', async () => {
    tab = new Tab();
    await tab.bootstrap(stored(rows));
    const usual = shownRows();
    await tab.press('Hidden Rows (2)');
    const asides = all('row').flatMap((row) => [...row.querySelectorAll('.aside')].map((aside) => aside.textContent));
    expect({ usual, everything: shownRows().map(([uid]) => uid), asides }).toEqual({
      usual: [
        ['u1', '1', 'You', ''],
        ['a1', '2', 'Hermes', ''],
        ['r1', '3', 'Tool', 'failed'],
        ['a2', '5', 'Hermes', 'finished'],
      ],
      everything: ['u1', 'a1', 'r1', 'h1', 'a2', 'k1'],
      asides: ['Hidden: this answer was asked for again.', 'Closing row: sent to the model, not shown in the chat, because nothing was said in this turn.'],
    });
  });

  test('says of a repair which rows were merged into which, and what was left out', async () => {
    tab = new Tab();
    await tab.bootstrap(
      stored(
        [
          prompt({ uid: 'u1', position: 1 }, 'stale\n\nnow'),
          prompt({ uid: 'u2', position: 2, visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'u1' } }, 'now'),
          answer({ uid: 'a1', position: 3, visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'a0' } }, ['lost']),
          result({ uid: 'r1', position: 4, visibility: { kind: 'hidden', reason: 'dropped', absorbedInto: null } }, 'c1', 'read_file', 'stray', 'done'),
        ],
        true,
        9,
      ),
    );
    await tab.press('Hidden Rows (3)');
    expect(all('row').flatMap((row) => [...row.querySelectorAll('.aside')].map((aside) => `${row.dataset['uid']}: ${aside.textContent}`))).toEqual([
      'u1: Hidden rows merged into this one: 7',
      'u2: Hidden: merged into row 6, so that the model accepts the history.',
      'a1: Hidden: merged into another row, so that the model accepts the history.',
      'r1: Hidden: left out, because the model would not accept the history with it.',
    ]);
  });

  test('shows answers as Markdown or as they are stored, and prompts always as typed', async () => {
    tab = new Tab();
    await tab.bootstrap(stored(rows));
    const texts = (): readonly (string | undefined)[] => all('row').flatMap((row) => [...row.querySelectorAll('[data-part=text]')].map((part) => part.textContent?.trim()));
    const rendered = texts();
    await tab.press('Raw');
    expect([rendered, texts()]).toEqual([
      ['Why **this**?', 'Because'],
      ['Why **this**?', '**Because**'],
    ]);
  });

  test('keeps what was chosen, so that the tab comes back as it was', async () => {
    tab = new Tab();
    await tab.bootstrap(stored(rows));
    await tab.press('Tool');
    await tab.press('Raw');
    const { kept } = tab;
    tab.close();
    tab = new Tab(kept);
    await tab.bootstrap(stored(rows));
    expect([kept, shownRows().map(([uid]) => uid)]).toEqual([{ version: 1, sessionId: session().id, raw: true, showHidden: false, role: 'tool', anchor: null, branches: null }, ['r1']]);
  });

  test('loads earlier rows in front, and numbers rows by their place in the whole session', async () => {
    tab = new Tab();
    await tab.bootstrap(stored(rows.slice(4, 5), true, 6));
    const before = shownRows();
    await tab.press('Load Earlier Rows');
    const asked = tab.posted.at(-1)?.payload;
    await tab.answer(stored(rows.slice(0, 4), false, 6));
    expect([before.map((row) => row[1]), asked, shownRows().map(([uid, number]) => [uid, number])]).toEqual([
      ['6'],
      { sessionId: session().id, wanted: { kind: 'before', position: 5 }, limit: 200 },
      [
        ['u1', '2'],
        ['a1', '3'],
        ['r1', '4'],
        ['a2', '6'],
      ],
    ]);
  });

  test('loads and uncovers the row it is asked to show', async () => {
    tab = new Tab();
    await tab.bootstrap(stored(rows.slice(4), true, 6), null, 'h1');
    const asked = tab.posted.at(-1)?.payload;
    await tab.answer(stored(rows, false, 6));
    expect([asked, shownRows().some(([uid]) => uid === 'h1'), document.activeElement instanceof HTMLElement && document.activeElement.dataset['uid']]).toEqual([
      { sessionId: session().id, wanted: { kind: 'around', messageUid: 'h1' }, limit: 200 },
      true,
      'h1',
    ]);
  });

  test('shows rows from the middle with their numbers, and loads what stands behind them on demand', async () => {
    tab = new Tab();
    await tab.tell('bootstrap', transcriptState({ messages: rows.slice(0, 2), later: 4, total: 106, hasEarlier: true }));
    const before = shownRows().map(([uid, number]) => [uid, number]);
    await tab.press('Load Later Rows');
    const asked = tab.posted.at(-1)?.payload;
    await tab.answer({ ...stored(rows.slice(2, 4)), later: 2, total: 106 });
    const between = shownRows().map(([uid, number]) => [uid, number]);
    await tab.press('Go to the End');
    const end = tab.posted.at(-1)?.payload;
    await tab.answer({ ...stored(rows.slice(4), true), total: 106 });
    expect({ before, asked, between, end, after: shownRows().map(([uid, number]) => [uid, number]) }).toEqual({
      before: [['u1', '101'], ['a1', '102']],
      asked: { sessionId: session().id, wanted: { kind: 'after', position: 2 }, limit: 200 },
      between: [['u1', '101'], ['a1', '102'], ['r1', '103']],
      end: { sessionId: session().id, wanted: { kind: 'end' }, limit: 200 },
      after: [['a2', '105']],
    });
  });

  test('reads what it shows again where it is, not the end', async () => {
    tab = new Tab();
    await tab.tell('bootstrap', transcriptState({ messages: rows.slice(1, 3), later: 4, total: 7, hasEarlier: true }));
    await tab.tell('changed', { sessionId: session().id });
    expect(tab.posted.at(-1)?.payload).toEqual({ sessionId: session().id, wanted: { kind: 'after', position: 1 }, limit: 2 });
  });

  test('offers a branch from the selected row, and to take back a selected prompt', async () => {
    tab = new Tab();
    await tab.bootstrap(stored(rows));
    const enabled = (): readonly boolean[] => ['Branch from Selected', 'Rewind to Selected…'].map((name) => !(find('button', name) instanceof HTMLButtonElement && find('button', name).hasAttribute('disabled')));
    const nothing = enabled();
    await tab.select('a2');
    const onAnswer = enabled();
    await tab.press('Branch from Selected');
    await tab.select('u1');
    const onPrompt = enabled();
    await tab.press('Rewind to Selected…');
    await tab.press('Open in Chat');
    await tab.press('Export…');
    expect({ nothing, onAnswer, onPrompt, sent: tab.posted.slice(-4).map(({ name, payload }) => [name, payload]) }).toEqual({
      nothing: [false, false],
      onAnswer: [true, false],
      onPrompt: [true, true],
      sent: [['branchFrom', { messageUid: 'a2' }], ['rewindTo', { messageUid: 'u1' }], ['openInChat', { messageUid: 'u1' }], ['exportSession', {}]],
    });
  });

  test('is walked through with the arrow keys, row by row', async () => {
    tab = new Tab();
    await tab.bootstrap(stored(rows));
    await tab.select('u1');
    const visited: (string | undefined)[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'Home']) visited.push(await tab.key(key));
    const tabStops = all('row').filter((row) => row.tabIndex === 0).map((row) => row.dataset['uid']);
    expect({ visited, tabStops }).toEqual({ visited: ['a1', 'r1', 'a1', 'a2', 'u1'], tabStops: ['u1'] });
  });

  test('shows what a repaired row said before, when somebody asks', async () => {
    tab = new Tab();
    const merged = prompt({ uid: 'u2', position: 2, visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'u1' } }, 'now');
    await tab.bootstrap(stored([prompt({ uid: 'u1', position: 1 }, 'stale\n\nnow'), merged]));
    await tab.press('Show Earlier Content');
    const asked = tab.posted.at(-1);
    await tab.answer([{ revisedAt: 1_794_492_120, parts: [{ kind: 'text', text: 'stale' }] }], 'revisions');
    expect([asked?.name, asked?.payload, all('row').find((row) => row.dataset['uid'] === 'u1')?.querySelector('.part')?.textContent?.endsWith('stale')]).toEqual(['revisions', { messageUid: 'u1' }, true]);
  });

  test('reads again when rows changed on disk', async () => {
    tab = new Tab();
    await tab.bootstrap(stored(rows.slice(0, 1)));
    await tab.say({ kind: 'notification', name: 'changed', payload: { sessionId: session().id } });
    await tab.answer(stored(rows.slice(0, 3)));
    expect(shownRows().map(([uid]) => uid)).toEqual(['u1', 'a1', 'r1']);
  });

  test('says what cannot be shown, and tells filtered out from empty', async () => {
    tab = new Tab();
    await tab.bootstrap(null, 'This session could not be read.');
    const problem = all('alert').map((alert) => alert.textContent);
    await tab.bootstrap(stored([]));
    const empty = document.querySelector('.grid-empty')?.textContent;
    await tab.bootstrap(stored(rows.slice(0, 1)));
    await tab.press('Tool');
    expect([problem, empty, document.querySelector('.grid-empty')?.textContent]).toEqual([
      ['This session could not be read.'],
      'Nothing is stored in this session yet.',
      'All rows are filtered out.',
    ]);
  });
});

describe('the branches beside a transcript', () => {
  const here = session().conversationId;
  const branches = [
    treeBranch('root', null, { title: 'Upload' }),
    treeBranch(here, 'root', { title: 'Upload #2', branchedFrom: 'p7' }),
    treeBranch('deep', here, { title: 'Upload #3' }),
    treeBranch('side', 'root', { title: 'Upload #4' }),
  ];
  const items = (): readonly (readonly unknown[])[] =>
    all('treeitem').map((item) => [item.dataset['conversation'], item.getAttribute('aria-level'), item.getAttribute('aria-expanded'), item.getAttribute('aria-current')]);

  test('are a tree with the session that is shown marked in it, and folded by keys', async () => {
    tab = new Tab();
    await tab.tell('bootstrap', transcriptState({ messages: rows }, { branches }));
    const unfolded = items();
    await act(() => all('treeitem')[1]?.focus());
    await tab.key('ArrowLeft');
    expect({ unfolded, folded: items().map(([id, , expanded]) => [id, expanded]), name: all('tree')[0]?.getAttribute('aria-labelledby') }).toEqual({
      unfolded: [
        ['root', '1', 'true', null],
        [here, '2', 'true', 'true'],
        ['deep', '3', null, null],
        ['side', '2', null, null],
      ],
      folded: [['root', 'true'], [here, 'false'], ['side', null]],
      name: 'branches-title',
    });
  });

  test('lead to the other sessions: up to the message that was branched from, elsewhere to the end', async () => {
    tab = new Tab();
    await tab.tell('bootstrap', transcriptState({ messages: rows }, { branches }));
    for (const at of [0, 1, 2]) await act(() => all('treeitem')[at]?.click());
    await act(() => all('treeitem')[3]?.focus());
    await tab.key('Enter');
    expect(tab.posted.filter(({ name }) => name === 'goTo').map(({ payload }) => payload)).toEqual([
      { sessionId: 'root', messageUid: 'p7' },
      { sessionId: 'deep', messageUid: null },
      { sessionId: 'side', messageUid: null },
    ]);
  });

  test('are shown when a session has some, hidden when the person says so, and that is kept', async () => {
    tab = new Tab();
    await tab.tell('bootstrap', transcriptState({ messages: rows }, { branches: branches.slice(1, 2) }));
    const alone = all('tree').length;
    await tab.tell('branches', branches);
    const several = all('tree').length;
    await tab.press('Branches (4)');
    const { kept } = tab;
    tab.close();
    tab = new Tab(kept);
    await tab.tell('bootstrap', transcriptState({ messages: rows }, { branches }));
    expect([alone, several, kept?.branches, all('tree').length]).toEqual([0, 1, false, 0]);
  });

  test('take nothing along to the next session', async () => {
    tab = new Tab();
    await tab.tell('bootstrap', transcriptState({ messages: rows }, { branches }));
    await tab.select('a2');
    await tab.tell('bootstrap', transcriptState({ messages: rows.slice(0, 1) }, { branches, session: session({ id: 'deep', conversationId: 'deep' }) }));
    expect([all('row').filter((row) => row.getAttribute('aria-selected') === 'true').length, tab.kept?.sessionId, tab.kept?.anchor]).toEqual([0, 'deep', null]);
  });
});

describe('a session of another folder', () => {
  test('says whose it is, and can be written out and brought over, and nothing else', async () => {
    tab = new Tab();
    await tab.tell('bootstrap', { ...transcriptState({}, { otherFolder: '/home/me/other' }), rows: stored(rows) });
    await tab.select('u1');
    const offered = [...document.querySelectorAll('.toolbar-actions button')].map((button) => button.textContent?.trim());
    await tab.press('Bring Over to This Folder');
    await tab.press('Export…');
    expect({ note: document.querySelector('.transcript-note')?.textContent, offered, asked: tab.posted.slice(-2).map(({ name }) => name) }).toEqual({
      note: 'A session of /home/me/other, as it was when this tab was opened. Read-only.',
      offered: ['Bring Over to This Folder', 'Export…'],
      asked: ['openInChat', 'exportSession'],
    });
  });
});
