// @vitest-environment happy-dom
import { createElement, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { protocolVersion } from '../../../src/protocol/envelope';
import type { TranscriptRows } from '../../../src/protocol/transcriptProtocol';
import type { Message } from '../../../src/protocol/transcriptWords';
import { connectToHost } from '../../../src/webview/rpc';
import { TranscriptApp } from '../../../src/webview/transcript/components/TranscriptApp';
import { TranscriptController, type TranscriptViewProtocol } from '../../../src/webview/transcript/transcriptController';
import type { TranscriptMemory } from '../../../src/webview/transcript/transcriptMemory';
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
    await this.say({ kind: 'notification', name: 'bootstrap', payload: { session: session(), rows: read, problem, reveal, localization: {} } });
  }

  async say(message: object): Promise<void> {
    await act(async () => {
      this.channel.dispatchEvent(new MessageEvent('message', { data: { v: protocolVersion, ...message } }));
      await new Promise((resolve) => setTimeout(resolve));
    });
  }

  async answer(result: TranscriptRows): Promise<void> {
    const request = this.posted.findLast(({ name }) => name === 'loadRows');
    await this.say({ kind: 'response', id: request?.id, ok: true, result });
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
    expect([kept, shownRows().map(([uid]) => uid)]).toEqual([{ version: 1, sessionId: session().id, raw: true, showHidden: false, role: 'tool', anchor: null }, ['r1']]);
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
      { sessionId: session().id, before: 5, limit: 200 },
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
    await tab.answer(stored(rows.slice(0, 4), false, 6));
    expect([shownRows().some(([uid]) => uid === 'h1'), document.activeElement instanceof HTMLElement && document.activeElement.dataset['uid']]).toEqual([true, 'h1']);
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
