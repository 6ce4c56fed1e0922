// @vitest-environment happy-dom
import { createElement, render } from 'preact';
import { act } from 'preact/test-utils';
import * as v from 'valibot';
import { afterEach, describe, expect, test } from 'vitest';
import { protocolVersion } from '../../../src/protocol/envelope';
import { TranscriptFinder } from '../../../src/host/transcriptFinder';
import { rawRow, revisionsWithDiffs } from '../../../src/host/storedRowText';
import { TranscriptReader } from '../../../src/host/transcriptReader';
import { transcriptRequests, type RowFilter, type TranscriptNotifications, type TranscriptState } from '../../../src/protocol/transcriptProtocol';
import type { Message } from '../../../src/protocol/transcriptWords';
import { connectToHost } from '../../../src/webview/rpc';
import { TranscriptApp } from '../../../src/webview/transcript/components/TranscriptApp';
import { TranscriptController, type TranscriptViewProtocol } from '../../../src/webview/transcript/transcriptController';
import type { TranscriptMemory } from '../../../src/webview/transcript/transcriptMemory';
import { StoredTranscript } from '../../support/builders/storedTranscript';
import { transcriptState, treeBranch } from '../../support/builders/transcriptState';
import { handoffPart } from '../../../src/transcript/handoff';
import type { Approval } from '../../../src/transcript/approval';
import { afternoon, answer, call, prompt, result, session, settledTurn } from '../../support/builders/viewMessages';
import { all, find } from './chatPage';

const rows: readonly Message[] = [
  prompt({ uid: 'u1', position: 1 }, 'Why **this**?'),
  answer({ uid: 'a1', position: 2 }, [call('c1', 'read_file', { path: 'a.ts' })]),
  result({ uid: 'r1', position: 3 }, 'c1', 'read_file', 'gone', 'failed'),
  answer({ uid: 'h1', position: 4, visibility: { kind: 'hidden', reason: 'retried', absorbedInto: null } }, ['first try']),
  answer({ uid: 'a2', position: 5 }, ['**Because**']),
  answer({ uid: 'k1', position: 6, turnUid: 'turn2', visibility: { kind: 'closing' } }, ['(stopped)']),
];

const turns = [settledTurn(), settledTurn('turn2', 'u2', { outcome: 'interrupted', stopReason: 'user' })];
const everything: RowFilter = { role: null, state: null, hidden: false };

function storedRows(messages: readonly Message[] = rows): StoredTranscript {
  const stored = new StoredTranscript(messages, new Map([[session().id, session()]]));
  stored.turns = turns;
  return stored;
}

/** `count` prompts, one a turn, with nothing between. */
function long(count: number): StoredTranscript {
  const stored = storedRows(Array.from({ length: count }, (_, index) => prompt({ uid: `m${index}`, position: index + 1, turnUid: `turn${index}` }, `prompt number ${index}`)));
  stored.turns = stored.messages.map(({ uid, turnUid }) => settledTurn(turnUid ?? '', uid));
  return stored;
}

/** The tab's page with a host that reads stored rows as the real one does. */
class Tab {
  readonly posted: { readonly name: string; readonly payload: unknown }[] = [];
  kept: TranscriptMemory | null = null;
  /** A sentence: every request is refused with it. */
  refusal: string | null = null;
  private readonly reader: TranscriptReader;
  private readonly finder: TranscriptFinder;
  private readonly channel = new EventTarget();
  private readonly root = document.body.appendChild(document.createElement('div'));

  constructor(
    readonly stored: StoredTranscript = storedRows(),
    recalled: TranscriptMemory | null = null,
  ) {
    this.reader = new TranscriptReader(stored);
    this.finder = new TranscriptFinder(stored, this.reader.outlines, (search, done, total) => this.dispatch({ kind: 'notification', name: 'findProgress', payload: { search, done, total } }));
    const transcript = new TranscriptController({
      host: connectToHost<TranscriptViewProtocol>({ postMessage: (message) => this.receive(message), getState: () => undefined, setState: () => undefined }, this.channel),
      recalled,
      keep: (memory) => (this.kept = memory),
      nowMs: () => 0,
      setLocalization: () => undefined,
    });
    act(() => render(createElement(TranscriptApp, { transcript }), this.root));
    transcript.start();
  }

  /** What the host says when the page is there: the newest rows, or those around a row. */
  async bootstrap(change: Partial<TranscriptState> = {}, around: string | null = null, limit = 200): Promise<void> {
    const wanted = around === null ? { kind: 'end' as const } : { kind: 'around' as const, messageUid: around };
    const read = await this.reader.rows(session().id, wanted, limit, this.kept === null ? everything : { role: this.kept.role, state: this.kept.state, hidden: this.kept.showHidden });
    await this.tell('bootstrap', { ...transcriptState({}, change), rows: read });
  }

  async tell<Name extends keyof TranscriptNotifications>(name: Name, payload: TranscriptNotifications[Name]): Promise<void> {
    await act(async () => {
      this.dispatch({ kind: 'notification', name, payload });
      await pause();
    });
  }

  /** Rows changed on disk. */
  async changed(): Promise<void> {
    this.reader.outlines.forget();
    await this.tell('changed', { sessionId: session().id });
  }

  async select(uid: string): Promise<void> {
    await act(() => rowOf(uid)?.focus());
  }

  /** The row that has the focus then. */
  async key(key: string, held: KeyboardEventInit = {}): Promise<string | undefined> {
    await act(async () => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...held }));
      await pause();
    });
    return document.activeElement instanceof HTMLElement ? document.activeElement.dataset['uid'] : undefined;
  }

  async press(name: string): Promise<void> {
    await act(async () => {
      find('button', name).click();
      await pause();
    });
  }

  async choose(state: string): Promise<void> {
    await act(async () => {
      const list = document.querySelector('select');
      if (list === null) throw new Error('There is no list of states');
      list.value = state;
      list.dispatchEvent(new Event('change', { bubbles: true }));
      await pause();
    });
  }

  async look(text: string): Promise<void> {
    await act(async () => {
      const field = find('textbox', 'Find');
      if (!(field instanceof HTMLInputElement)) throw new Error('There is no field');
      field.value = text;
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      field.focus();
      await pause();
    });
  }

  sent(name: string): readonly unknown[] {
    return this.posted.filter((message) => message.name === name).map(({ payload }) => payload);
  }

  close(): void {
    act(() => render(null, this.root));
    this.root.remove();
  }

  private dispatch(message: object): void {
    this.channel.dispatchEvent(new MessageEvent('message', { data: { v: protocolVersion, ...message } }));
  }

  private receive(message: unknown): void {
    const { name, payload } = v.parse(v.looseObject({ name: v.string(), payload: v.unknown() }), message);
    this.posted.push({ name, payload });
    const request = v.safeParse(v.looseObject({ kind: v.literal('request'), id: v.number() }), message);
    if (!request.success) return;
    const { id } = request.output;
    const asked = this.refusal === null ? this.resultOf(name, payload) : Promise.reject(new Error(this.refusal));
    void asked.then(
      (result) => this.dispatch({ kind: 'response', id, ok: true, result }),
      (error: unknown) => this.dispatch({ kind: 'response', id, ok: false, error: { sentence: error instanceof Error ? error.message : '', cause: 'unknown' } }),
    );
  }

  private async resultOf(name: string, payload: unknown): Promise<unknown> {
    if (name === 'loadRows') {
      const { sessionId, wanted, limit, filter } = v.parse(transcriptRequests.loadRows, payload);
      return this.reader.rows(sessionId, wanted, limit, filter);
    }
    if (name === 'findRows') return this.finder.find(v.parse(transcriptRequests.findRows, payload));
    const { messageUid } = v.parse(transcriptRequests.rawRow, payload);
    return name === 'rawRow' ? rawRow(this.stored, messageUid) : revisionsWithDiffs(this.stored, messageUid);
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const rowOf = (uid: string): HTMLElement | undefined => all('row').find((row) => row.dataset['uid'] === uid);
const uids = (): readonly (string | undefined)[] => all('row').flatMap((row) => row.dataset['uid'] ?? []);
const borders = (): readonly string[] => [...document.querySelectorAll('.border')].map((border) => border.textContent ?? '');

let tab: Tab;
afterEach(() => tab.close());

const shownRows = (): readonly (readonly (string | undefined)[])[] =>
  all('row')
    .filter((row) => row.dataset['uid'] !== undefined)
    .map((row) => [row.dataset['uid'], ...['.cell-number', '.cell-role', '.cell-state'].map((cell) => row.querySelector(cell)?.textContent ?? '')]);

describe('the transcript tab', () => {
  test('lists what is stored in order, with why each turn ended, and hidden rows on demand with the reason', async () => {
    tab = new Tab();
    await tab.bootstrap();
    const usual = shownRows();
    await tab.press('Hidden Rows (2)');
    const asides = all('row').flatMap((row) => [...row.querySelectorAll('.aside')].map((aside) => aside.textContent));
    expect({ usual, everything: uids(), asides }).toEqual({
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

  test('says of a repair which rows were merged into which, what was left out, and what it made up', async () => {
    tab = new Tab(
      storedRows([
        prompt({ uid: 'u1', position: 1 }, 'stale\n\nnow'),
        prompt({ uid: 'u2', position: 2, visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'u1' } }, 'now'),
        answer({ uid: 'a1', position: 3, visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'gone' } }, ['lost']),
        result({ uid: 'r1', position: 4, visibility: { kind: 'hidden', reason: 'dropped', absorbedInto: null } }, 'c1', 'read_file', 'stray', 'done'),
        answer({ uid: 'a2', position: 5 }, [call('c2', 'run_command', {})]),
        result({ uid: 'a2/result/c2', position: 6 }, 'c2', 'run_command', '(Interrupted)', 'interrupted'),
      ]),
    );
    await tab.bootstrap();
    await tab.choose('repaired');
    expect(all('row').flatMap((row) => [...row.querySelectorAll('.aside')].map((aside) => `${row.dataset['uid']}: ${aside.textContent}`))).toEqual([
      'u1: Hidden rows merged into this one: 2',
      'u2: Hidden: merged into row 1, so that the model accepts the history.',
      'a1: Hidden: merged into another row, so that the model accepts the history.',
      'r1: Hidden: left out, because the model would not accept the history with it.',
      'a2/result/c2: Made up by a repair: the call had no result, and a model does not accept a call without one.',
    ]);
  });

  test('shows answers as Markdown or as they are stored, and prompts always as typed', async () => {
    tab = new Tab();
    await tab.bootstrap();
    const texts = (): readonly (string | undefined)[] => all('row').flatMap((row) => [...row.querySelectorAll('[data-part=text]')].map((part) => part.textContent?.trim()));
    const rendered = texts();
    await tab.press('Raw');
    expect([rendered, texts()]).toEqual([
      ['Why **this**?', 'Because'],
      ['Why **this**?', '**Because**'],
    ]);
  });

  test('folds a text of many lines, and shows it whole when somebody asks', async () => {
    const text = Array.from({ length: 90 }, (_, index) => `line ${index}`).join('\n');
    tab = new Tab(storedRows([prompt({ uid: 'u1', position: 1 }, text)]));
    await tab.bootstrap();
    const lines = (): number => rowOf('u1')?.querySelector('[data-part=text]')?.textContent?.split('\n').length ?? 0;
    const folded = lines();
    await tab.press('Show All (90 lines)');
    const whole = lines();
    await tab.press('Show Less');
    expect([folded, whole, lines()]).toEqual([40, 90, 40]);
  });

  test('keeps what was chosen, so that the tab comes back as it was, around the row it was left at', async () => {
    tab = new Tab();
    await tab.bootstrap();
    await tab.press('Tool');
    await tab.press('Raw');
    const { kept } = tab;
    tab.close();
    tab = new Tab(storedRows(), kept === null ? null : { ...kept, anchor: { uid: 'r1', offset: 3 } });
    expect([kept, tab.sent('ready')]).toEqual([
      { version: 1, sessionId: session().id, raw: true, showHidden: false, role: 'tool', state: null, anchor: null, branches: null, branchesWidth: 230 },
      [{ filter: { ...everything, role: 'tool' }, around: 'r1' }],
    ]);
  });

  test('draws a line over each turn with what became of it, and the files it changed', async () => {
    const stored = storedRows();
    stored.fileChanges = [
      { uid: 'f1', sessionId: session().id, turnUid: 'turn1', callId: 'c1', path: '/home/me/upload/src/a.ts', before: 'x', after: 'y', changedAt: 1, reviewed: { kind: 'kept', at: 2 } },
      { uid: 'f2', sessionId: session().id, turnUid: 'turn1', callId: 'c1', path: '/elsewhere/b.ts', before: null, after: 'z', changedAt: 1, reviewed: null },
    ];
    tab = new Tab(stored);
    await tab.bootstrap();
    await tab.press('Hidden Rows (2)');
    expect(borders()).toEqual([
      'Turn 1 · complete: finished · Local/qwen3:8b · 9 s · 2.81K in, 290 out2 files changed: src/a.ts (kept), /elsewhere/b.ts (created)',
      'Turn 2 · interrupted: stopped by you · Local/qwen3:8b · 9 s · 2.81K in, 290 out',
    ]);
  });

  test('says at a call what was asked of the person and what they decided', async () => {
    const stored = storedRows();
    const request: Approval['request'] = { tool: 'read_file', access: { kind: 'editorTool', name: 'x' }, subject: 'a.ts', reasons: ['outside'], rules: [], preview: null };
    const base = { sessionId: session().id, turnUid: 'turn1', messageUid: 'a1', callId: 'c1', request, requestedAt: afternoon };
    stored.approvals = [
      { ...base, id: 'p1', state: { kind: 'decided', decision: { kind: 'deny', reason: 'not that one' }, decidedAt: afternoon + 5 } },
      { ...base, id: 'p2', state: { kind: 'expired' } },
    ];
    tab = new Tab(stored);
    await tab.bootstrap();
    const words = [...(rowOf('a1')?.querySelectorAll('.approval') ?? [])].map((each) => each.textContent?.replace(/\b(at) [^:·]*\d:\d\d:\d\d\s?[AP]M/g, '$1 …'));
    expect(words).toEqual(['Asked at …: a.ts · denied by you at …: not that one', 'Asked at …: a.ts · never decided: the turn ended first']);
  });

  test('marks where a part was summarised, and leads to both sides of it', async () => {
    const second = `${session().id}_2`;
    const summary: Message = { ...prompt({ uid: `${second}/handoff`, position: 3, visibility: { kind: 'handoff' } }, ''), sessionId: second, turnUid: null, parts: [handoffPart('In short', { before: 62_000, after: 4000 })] };
    tab = new Tab(storedRows([...rows.slice(0, 2), summary, { ...prompt({ uid: 'u9', position: 4, turnUid: 'turn2' }, 'Go on'), sessionId: second }]));
    await tab.bootstrap();
    const lines = borders().filter((words) => words.includes('summarised'));
    await tab.press('Go to the summary');
    const down = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['uid'] : null;
    await tab.press('View original');
    expect({ lines, author: rowOf(summary.uid)?.querySelector('.cell-role')?.textContent, down, up: document.activeElement instanceof HTMLElement ? document.activeElement.dataset['uid'] : null }).toEqual({
      lines: ['This part was summarised later, 62K → 4K · Go to the summary', 'Earlier part summarised, 62K → 4K · View original'],
      author: 'Summary',
      down: summary.uid,
      up: 'u1',
    });
  });

  test('leads from one version of a prompt to the other, which is hidden', async () => {
    const hidden = { kind: 'hidden', reason: 'retried', absorbedInto: null } as const;
    const stored = storedRows([
      prompt({ uid: 'u1', position: 1, visibility: hidden }, 'Why?'),
      answer({ uid: 'a1', position: 2, visibility: hidden }, ['First']),
      prompt({ uid: 'u2', position: 3, turnUid: 'turn2' }, 'Why?'),
      answer({ uid: 'a2', position: 4, turnUid: 'turn2' }, ['Second']),
    ]);
    stored.versions = [{ turnUid: 'turn2', versions: ['turn1', 'turn2'] }];
    tab = new Tab(stored);
    await tab.bootstrap();
    const before = [uids(), borders().map((words) => words.replace(/^.*version/, 'version'))];
    await tab.press('Previous Version');
    expect([before, uids(), document.activeElement instanceof HTMLElement ? document.activeElement.dataset['uid'] : null]).toEqual([[['u2', 'a2'], ['version 2 of 2']], ['u1', 'a1', 'u2', 'a2'], 'u1']);
  });

  test('filters by state over the whole session and says so where nothing is left', async () => {
    tab = new Tab();
    await tab.bootstrap();
    const options = [...document.querySelectorAll('option')].map((option) => option.textContent);
    await tab.choose('hidden');
    const hidden = uids();
    await tab.choose('failed');
    const none = document.querySelector('.grid-empty p')?.textContent;
    await tab.press('Clear Filters');
    expect({ options, hidden, none, cleared: uids() }).toEqual({
      options: ['Every State', 'Complete (5)', 'Interrupted (1)', 'Failed (0)', 'Running or Waiting (0)', 'Repaired (0)', 'Hidden (2)'],
      hidden: ['h1', 'k1'],
      none: 'All rows are filtered out: 6 rows are stored.',
      cleared: ['u1', 'a1', 'r1', 'a2'],
    });
  });

  test('loads earlier rows in front and later ones behind, numbered by their place in the whole session', async () => {
    tab = new Tab(long(900));
    await tab.bootstrap({}, 'm450', 10);
    const ends = (): readonly unknown[] => [shownRows()[0]?.slice(0, 2), shownRows().at(-1)?.slice(0, 2), shownRows().length];
    const first = ends();
    await tab.press('Load Earlier Rows');
    const earlier = ends();
    await tab.press('Load Later Rows');
    const later = ends();
    await tab.press('Go to the End');
    const end = ends();
    await tab.press('Go to the Beginning');
    const grid = all('grid')[0];
    expect({ first, earlier, later, end, beginning: ends(), count: grid?.getAttribute('aria-rowcount'), index: rowOf('m0')?.getAttribute('aria-rowindex') }).toEqual({
      first: [['m445', '446'], ['m454', '455'], 10],
      earlier: [['m245', '246'], ['m454', '455'], 210],
      later: [['m245', '246'], ['m654', '655'], 410],
      end: [['m700', '701'], ['m899', '900'], 200],
      beginning: [['m0', '1'], ['m199', '200'], 200],
      count: '901',
      index: '2',
    });
  });

  test('loads and uncovers the row it is asked to show, and gives it the focus', async () => {
    const stored = long(500);
    stored.messages = stored.messages.map((message) => (message.uid === 'm3' ? prompt({ uid: 'm3', position: 4, visibility: { kind: 'hidden', reason: 'rewound', absorbedInto: null } }, 'gone') : message));
    tab = new Tab(stored);
    await tab.bootstrap();
    await tab.tell('reveal', { messageUid: 'm3' });
    expect([uids().includes('m3'), document.activeElement instanceof HTMLElement && document.activeElement.dataset['uid'], rowOf('m3')?.classList.contains('marked')]).toEqual([true, 'm3', true]);
  });

  test('reads what it shows again where it is, keeping the selection, and what came behind it at the end', async () => {
    const stored = long(300);
    tab = new Tab(stored);
    await tab.bootstrap({}, 'm100', 20);
    await tab.select('m100');
    stored.messages = [...stored.messages, prompt({ uid: 'new', position: 301 }, 'new')];
    await tab.changed();
    const middle = [uids().length, uids().includes('new'), document.activeElement instanceof HTMLElement && document.activeElement.dataset['uid']];
    await tab.press('Go to the End');
    stored.messages = [...stored.messages, prompt({ uid: 'newer', position: 302 }, 'newer')];
    await tab.changed();
    expect([middle, uids().at(-1)]).toEqual([[20, false, 'm100'], 'newer']);
  });

  test('offers a branch from the selected row, and to take back a selected prompt', async () => {
    tab = new Tab();
    await tab.bootstrap();
    const enabled = (): readonly boolean[] => ['Branch from Selected', 'Rewind to Selected…'].map((name) => !find('button', name).hasAttribute('disabled'));
    const nothing = enabled();
    await tab.select('a2');
    const onAnswer = enabled();
    await tab.press('Branch from Selected');
    await tab.select('u1');
    const onPrompt = enabled();
    await tab.press('Rewind to Selected…');
    await tab.key('Enter', { ctrlKey: true });
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
    await tab.bootstrap();
    await tab.select('u1');
    const visited: (string | undefined)[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'Home']) visited.push(await tab.key(key));
    const tabStops = all('row').filter((row) => row.tabIndex === 0).map((row) => row.dataset['uid']);
    expect({ visited, tabStops }).toEqual({ visited: ['a1', 'r1', 'a1', 'a2', 'u1'], tabStops: ['u1'] });
  });

  test('copies one row, several, or all that pass the filter, in the form that is asked for', async () => {
    tab = new Tab();
    await tab.bootstrap();
    await tab.select('u1');
    await tab.key('c', { ctrlKey: true });
    await tab.key('ArrowDown', { shiftKey: true });
    await tab.key('ArrowDown', { shiftKey: true });
    const bar = find('toolbar', 'Selected rows').textContent;
    await tab.press('Copy as JSON');
    await tab.key('ArrowUp', { shiftKey: true });
    await tab.press('Copy as Markdown');
    await tab.key('a', { ctrlKey: true });
    const whole = find('toolbar', 'Selected rows').textContent;
    await tab.press('Copy as JSON');
    const base = { sessionId: session().id, filter: everything };
    expect({ bar: bar?.slice(0, 15), whole: whole?.slice(0, 15), sent: tab.sent('copyRows') }).toEqual({
      bar: '3 rows selected',
      whole: '4 rows selected',
      sent: [
        { ...base, uids: ['u1'], form: 'markdown' },
        { ...base, uids: ['u1', 'a1', 'r1'], form: 'json' },
        { ...base, uids: ['u1', 'a1'], form: 'markdown' },
        { ...base, uids: null, form: 'json' },
      ],
    });
  });

  test('opens a menu for a row by key, walks through it, and gives the focus back', async () => {
    tab = new Tab();
    await tab.bootstrap();
    await tab.select('u1');
    await tab.key('F10', { shiftKey: true });
    const items = all('menuitem').map((item) => item.textContent);
    await tab.key('ArrowDown');
    await tab.key('ArrowDown');
    const on = document.activeElement?.textContent;
    await act(() => find('menuitem', 'Copy as JSON').click());
    await tab.key('ContextMenu');
    const back = await tab.key('Escape');
    expect({ items, on, sent: tab.sent('copyRows'), open: all('menu').length, back }).toEqual({
      items: ['Raw Row', 'Copy Row', 'Copy as JSON', 'Copy Text', 'Open in Chat', 'Branch from Here', 'Rewind to Here…'],
      on: 'Copy as JSON',
      sent: [{ sessionId: session().id, uids: ['u1'], filter: everything, form: 'json' }],
      open: 0,
      back: 'u1',
    });
  });

  test('opens the raw row under a row with Enter, reads it again when it changes, and says when it is gone', async () => {
    const stored = storedRows();
    tab = new Tab(stored);
    await tab.bootstrap();
    await tab.select('u1');
    await tab.key('Enter');
    const raw = (): string => rowOf('u1')?.querySelector('.raw-row pre')?.textContent ?? rowOf('u1')?.querySelector('.raw-row')?.textContent ?? '';
    const opened: unknown = JSON.parse(raw());
    stored.storedRow = async () => null;
    await tab.changed();
    const gone = raw();
    await tab.key('Enter');
    expect([opened, gone, rowOf('u1')?.querySelector('.raw-row')]).toEqual([{ uid: 'u1', role: 'user', parts: [{ kind: 'text', text: 'Why **this**?' }] }, 'Raw rowThis row is no longer stored.', null]);
  });

  test('shows what a repaired row said before and what was changed, when somebody asks', async () => {
    const stored = storedRows([prompt({ uid: 'u1', position: 1 }, 'stale\n\nnow')]);
    stored.revisions.set('u1', [{ revisedAt: afternoon, parts: [{ kind: 'text', text: 'stale' }] }]);
    tab = new Tab(stored);
    await tab.bootstrap();
    await tab.press('Show Earlier Content');
    const earlier = rowOf('u1')?.querySelector('.earlier-content');
    expect([tab.sent('revisions'), earlier?.querySelector('[data-part=text]')?.textContent, [...(earlier?.querySelectorAll('.diff-added') ?? [])].map((line) => line.textContent?.trim())]).toEqual([[{ messageUid: 'u1' }], 'stale', ['2+', '3+now']]);
  });

  test('says what cannot be read and tries again, and tells filtered out from empty', async () => {
    tab = new Tab(storedRows([]));
    await tab.tell('bootstrap', { ...transcriptState({}, { session: null, problem: 'This session could not be read.' }), rows: null });
    const problem = all('alert').map((alert) => alert.querySelector('p')?.textContent);
    await tab.press('Try Again');
    await tab.press('Show Log');
    const asked = tab.posted.map(({ name }) => name);
    await tab.bootstrap();
    expect([problem, asked, document.querySelector('.grid-empty')?.textContent]).toEqual([['This session could not be read.'], ['ready', 'ready', 'showLog'], 'Nothing is stored in this session yet.']);
  });

  test('keeps what is shown when more cannot be read', async () => {
    tab = new Tab(long(300));
    await tab.bootstrap();
    tab.refusal = 'The disk is gone.';
    await tab.press('Load Earlier Rows');
    expect([uids().length, all('alert').map((alert) => alert.querySelector('p')?.textContent)]).toEqual([200, ['The disk is gone.']]);
  });
});

describe('finding text in a transcript', () => {
  test('covers rows that are not loaded, counts them, and loads the one it goes to without taking the focus', async () => {
    const stored = long(3000);
    stored.messages = stored.messages.map((message, index) => (index === 7 || index === 2990 ? prompt({ uid: message.uid, position: message.position, turnUid: message.turnUid ?? '' }, 'The Needle') : message));
    tab = new Tab(stored);
    await tab.bootstrap();
    await tab.look('needle');
    await tab.key('Enter');
    await act(pause);
    const words = document.querySelector('.find-count')?.textContent;
    const first = [uids().includes('m7'), rowOf('m7')?.getAttribute('aria-selected'), document.activeElement?.getAttribute('aria-label')];
    await tab.key('Enter');
    await act(pause);
    const second = [document.querySelector('.find-count')?.textContent, uids().includes('m2990')];
    await tab.press('Match Case');
    await tab.key('Enter');
    await act(pause);
    expect({ words, first, second, cased: document.querySelector('.find-count')?.textContent }).toEqual({
      words: '1 of 2 rows',
      first: [true, 'true', 'Find'],
      second: ['2 of 2 rows', true],
      cased: 'No row matches',
    });
  });

  test('looks only among the rows that pass the filter', async () => {
    tab = new Tab();
    await tab.bootstrap();
    await tab.look('first try');
    await tab.key('Enter');
    const shown = document.querySelector('.find-count')?.textContent;
    await tab.press('Hidden Rows (2)');
    await act(() => find('textbox', 'Find').focus());
    await tab.key('Enter');
    await act(pause);
    expect([shown, document.querySelector('.find-count')?.textContent]).toEqual(['No row matches', '1 of 1 rows']);
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
    tab = new Tab(storedRows(), kept);
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
    await tab.bootstrap({ otherFolder: '/home/me/other', readAt: afternoon });
    await tab.select('u1');
    const offered = [...document.querySelectorAll('.toolbar-actions button')].map((button) => button.textContent?.trim());
    await tab.press('Bring Over to This Folder');
    await tab.press('Export…');
    expect({ note: document.querySelector('.transcript-note')?.textContent?.replace(/Read on .*/, 'Read on …'), offered, asked: tab.posted.slice(-2).map(({ name }) => name) }).toEqual({
      note: 'A session of /home/me/other, as it was when this tab was opened. Read-only. Read on …',
      offered: ['Verify', 'Bring Over to This Folder', 'Export…'],
      asked: ['openInChat', 'exportSession'],
    });
  });
});
