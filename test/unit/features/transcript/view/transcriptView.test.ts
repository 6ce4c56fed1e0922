// @vitest-environment happy-dom
import { act } from 'preact/test-utils';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../../src/transcript/message';
import { transcriptState } from '../../../../support/builders/transcriptState';
import { handoffPart } from '../../../../../src/transcript/handoff';
import type { Approval } from '../../../../../src/transcript/approval';
import { afternoon, answer, call, prompt, result, session } from '../../../../support/builders/viewMessages';
import { all, find, texts } from '../../../webview/elements';
import {
  Tab,
  borders,
  everything,
  focusedUid,
  long,
  openTab,
  rowOf,
  rows,
  shownRows,
  storedRows,
  uids,
} from './transcriptTab';

let tab: Tab;

describe('the transcript tab', () => {
  test('lists stored rows in order, with why each turn ended, and hidden rows on demand with the reason', async () => {
    tab = await openTab();
    const usual = shownRows();
    await tab.press('Hidden Rows (2)');
    const asides = all('row').flatMap((row) => texts('.aside', row));
    expect({ usual, everything: uids(), asides }).toEqual({
      usual: [
        ['u1', '1', 'You', ''],
        ['a1', '2', 'Hermes', ''],
        ['r1', '3', 'Tool', 'failed'],
        ['a2', '5', 'Hermes', 'finished'],
      ],
      everything: ['u1', 'a1', 'r1', 'h1', 'a2', 'k1'],
      asides: [
        'Hidden: replaced by a retry.',
        'Sent to the model to close a turn without an answer. Not shown in the chat.',
      ],
    });
  });

  test('shows for a repair which rows were merged, omitted and added', async () => {
    tab = await openTab(
      storedRows([
        prompt({ uid: 'u1', position: 1 }, 'stale\n\nnow'),
        prompt({ uid: 'u2', position: 2, visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'u1' } }, 'now'),
        answer({ uid: 'a1', position: 3, visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'gone' } }, [
          'lost',
        ]),
        result(
          { uid: 'r1', position: 4, visibility: { kind: 'hidden', reason: 'dropped', absorbedInto: null } },
          'c1',
          'read_file',
          'stray',
          'done',
        ),
        answer({ uid: 'a2', position: 5 }, [call('c2', 'run_command', {})]),
        result({ uid: 'a2/result/c2', position: 6 }, 'c2', 'run_command', '(Interrupted)', 'interrupted'),
      ]),
    );
    await tab.choose('repaired');
    expect(
      all('row').flatMap((row) =>
        [...row.querySelectorAll('.aside')].map((aside) => `${row.dataset['uid']}: ${aside.textContent}`),
      ),
    ).toEqual([
      'u1: Hidden rows merged into this one: 2',
      'u2: Hidden: merged into row 1, so that the model accepts the history.',
      'a1: Hidden: merged into another row, so that the model accepts the history.',
      'r1: Hidden: removed so that the model accepts the history.',
      'a2/result/c2: Added by a repair: the model requires a result for every tool call.',
    ]);
  });

  test('shows answers as Markdown or as they are stored, and prompts always as typed', async () => {
    tab = await openTab();
    const texts = (): readonly (string | undefined)[] =>
      all('row').flatMap((row) =>
        [...row.querySelectorAll('[data-part=text]')].map((part) => part.textContent?.trim()),
      );
    const rendered = texts();
    await tab.press('Raw');
    expect([rendered, texts()]).toEqual([
      ['Why **this**?', 'Because'],
      ['Why **this**?', '**Because**'],
    ]);
  });

  test('folds a text of many lines, and shows it completely on request', async () => {
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

  test('keeps the choices, so that the tab returns as it was, around the row where the user left it', async () => {
    tab = await openTab();
    await tab.press('Tool');
    await tab.press('Raw');
    const { kept } = tab;
    tab = new Tab(storedRows(), kept === null ? null : { ...kept, anchor: { uid: 'r1', offset: 3 } });
    expect([kept, tab.sent('ready')]).toEqual([
      {
        version: 1,
        sessionId: session().id,
        raw: true,
        showHidden: false,
        role: 'tool',
        state: null,
        anchor: null,
        branches: null,
        branchesWidth: 230,
      },
      [{ filter: { ...everything, role: 'tool' }, around: 'r1' }],
    ]);
  });

  test('renders a line over each turn with its outcome and the files it changed', async () => {
    const stored = storedRows();
    stored.fileChanges = [
      {
        uid: 'f1',
        sessionId: session().id,
        turnUid: 'turn1',
        callId: 'c1',
        path: '/home/me/upload/src/a.ts',
        before: 'x',
        after: 'y',
        changedAt: 1,
        reviewed: { kind: 'kept', at: 2 },
      },
      {
        uid: 'f2',
        sessionId: session().id,
        turnUid: 'turn1',
        callId: 'c1',
        path: '/elsewhere/b.ts',
        before: null,
        after: 'z',
        changedAt: 1,
        reviewed: null,
      },
    ];
    tab = await openTab(stored);
    await tab.press('Hidden Rows (2)');
    expect(borders()).toEqual([
      'Turn 1 · complete: finished · Local/qwen3:8b · 9 s · 2.81K in, 290 out2 files changed: src/a.ts ' +
        '(kept), /elsewhere/b.ts (created)',
      'Turn 2 · interrupted: stopped by you · Local/qwen3:8b · 9 s · 2.81K in, 290 out',
    ]);
  });

  test('shows at a call the question to the user and the decision', async () => {
    const stored = storedRows();
    const request: Approval['request'] = {
      tool: 'read_file',
      access: { kind: 'editorTool', name: 'x' },
      subject: 'a.ts',
      reasons: ['outside'],
      rules: [],
      preview: null,
    };
    const base = {
      sessionId: session().id,
      turnUid: 'turn1',
      messageUid: 'a1',
      callId: 'c1',
      request,
      requestedAt: afternoon,
    };
    stored.approvals = [
      {
        ...base,
        id: 'p1',
        state: { kind: 'decided', decision: { kind: 'deny', reason: 'not that one' }, decidedAt: afternoon + 5 },
      },
      { ...base, id: 'p2', state: { kind: 'expired' } },
    ];
    tab = await openTab(stored);
    const words = [...(rowOf('a1')?.querySelectorAll('.approval') ?? [])].map((each) =>
      each.textContent?.replace(/\b(at) [^:·]*\d:\d\d:\d\d\s?[AP]M/g, '$1 …'),
    );
    expect(words).toEqual([
      'Asked at …: a.ts · denied by you at …: not that one',
      'Asked at …: a.ts · never decided: it was no longer needed',
    ]);
  });

  test('marks where a part was summarized, and leads to both sides of it', async () => {
    const second = `${session().id}_2`;
    const summary: Message = {
      ...prompt({ uid: `${second}/handoff`, position: 3, visibility: { kind: 'handoff' } }, ''),
      sessionId: second,
      turnUid: null,
      parts: [handoffPart('In short', { before: 62_000, after: 4000 })],
    };
    tab = await openTab(
      storedRows([
        ...rows.slice(0, 2),
        summary,
        { ...prompt({ uid: 'u9', position: 4, turnUid: 'turn2' }, 'Go on'), sessionId: second },
      ]),
    );
    const lines = borders().filter((words) => words.includes('summarized'));
    await tab.press('Go to the summary');
    const down = focusedUid();
    await tab.press('Show Original');
    expect({
      lines,
      author: rowOf(summary.uid)?.querySelector('.cell-role')?.textContent,
      down,
      up: focusedUid(),
    }).toEqual({
      lines: [
        'This part was summarized later, 62K → 4K · Go to the summary',
        'Earlier messages summarized, 62K → 4K · Show Original',
      ],
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
    tab = await openTab(stored);
    const before = [uids(), borders().map((words) => words.replace(/^.*version/, 'version'))];
    await tab.press('Previous Version');
    expect([before, uids(), focusedUid()]).toEqual([
      [['u2', 'a2'], ['version 2 of 2']],
      ['u1', 'a1', 'u2', 'a2'],
      'u1',
    ]);
  });

  test('filters by state over the whole session and reports when nothing is left', async () => {
    tab = await openTab();
    const options = texts('option');
    await tab.choose('hidden');
    const hidden = uids();
    await tab.choose('failed');
    const none = document.querySelector('.grid-empty p')?.textContent;
    await tab.press('Clear Filters');
    expect({ options, hidden, none, cleared: uids() }).toEqual({
      options: [
        'Every State',
        'Complete (5)',
        'Interrupted (1)',
        'Failed (0)',
        'Running or Waiting (0)',
        'Repaired (0)',
        'Hidden (2)',
      ],
      hidden: ['h1', 'k1'],
      none: 'All rows are filtered out (6 rows stored).',
      cleared: ['u1', 'a1', 'r1', 'a2'],
    });
  });

  test('loads earlier rows before and later ones after, numbered by their place in the whole session', async () => {
    tab = new Tab(long(900));
    await tab.bootstrap({}, 'm450', 10);
    const ends = (): readonly unknown[] => [
      shownRows()[0]?.slice(0, 2),
      shownRows().at(-1)?.slice(0, 2),
      shownRows().length,
    ];
    const first = ends();
    await tab.press('Load Earlier Rows');
    const earlier = ends();
    await tab.press('Load Later Rows');
    const later = ends();
    await tab.press('Go to the End');
    const end = ends();
    await tab.press('Go to the Beginning');
    const grid = all('grid')[0];
    expect({
      first,
      earlier,
      later,
      end,
      beginning: ends(),
      count: grid?.getAttribute('aria-rowcount'),
      index: rowOf('m0')?.getAttribute('aria-rowindex'),
    }).toEqual({
      first: [['m445', '446'], ['m454', '455'], 10],
      earlier: [['m245', '246'], ['m454', '455'], 210],
      later: [['m245', '246'], ['m654', '655'], 410],
      end: [['m700', '701'], ['m899', '900'], 200],
      beginning: [['m0', '1'], ['m199', '200'], 200],
      count: '901',
      index: '2',
    });
  });

  test('loads and uncovers the requested row, and gives it the focus', async () => {
    const stored = long(500);
    stored.messages = stored.messages.map((message) =>
      message.uid === 'm3'
        ? prompt(
            { uid: 'm3', position: 4, visibility: { kind: 'hidden', reason: 'rewound', absorbedInto: null } },
            'gone',
          )
        : message,
    );
    tab = await openTab(stored);
    await tab.tell('reveal', { messageUid: 'm3' });
    expect([uids().includes('m3'), focusedUid(), rowOf('m3')?.classList.contains('marked')]).toEqual([
      true,
      'm3',
      true,
    ]);
  });

  test('reads visible rows again in place, keeping the selection, and adds newer ones at the end', async () => {
    const stored = long(300);
    tab = new Tab(stored);
    await tab.bootstrap({}, 'm100', 20);
    await tab.select('m100');
    stored.messages = [...stored.messages, prompt({ uid: 'new', position: 301 }, 'new')];
    await tab.changed();
    const middle = [uids().length, uids().includes('new'), focusedUid()];
    await tab.press('Go to the End');
    stored.messages = [...stored.messages, prompt({ uid: 'newer', position: 302 }, 'newer')];
    await tab.changed();
    expect([middle, uids().at(-1)]).toEqual([[20, false, 'm100'], 'newer']);
  });

  test('offers a branch from the selected row, and to take back a selected prompt', async () => {
    tab = await openTab();
    const enabled = (): readonly boolean[] =>
      ['Branch from Selected', 'Rewind to Selected…'].map((name) => !find('button', name).hasAttribute('disabled'));
    const nothing = enabled();
    await tab.select('a2');
    const onAnswer = enabled();
    await tab.press('Branch from Selected');
    await tab.select('u1');
    const onPrompt = enabled();
    await tab.press('Rewind to Selected…');
    await tab.key('Enter', { ctrlKey: true });
    await tab.press('Export…');
    expect({
      nothing,
      onAnswer,
      onPrompt,
      sent: tab.posted.slice(-4).map(({ name, payload }) => [name, payload]),
    }).toEqual({
      nothing: [false, false],
      onAnswer: [true, false],
      onPrompt: [true, true],
      sent: [
        ['branchFrom', { messageUid: 'a2' }],
        ['rewindTo', { messageUid: 'u1' }],
        ['openInChat', { messageUid: 'u1' }],
        ['exportSession', {}],
      ],
    });
  });

  test('is walked through with the arrow keys, row by row', async () => {
    tab = await openTab();
    await tab.select('u1');
    const visited: (string | undefined)[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'Home']) visited.push(await tab.walk(key));
    const tabStops = all('row')
      .filter((row) => row.tabIndex === 0)
      .map((row) => row.dataset['uid']);
    expect({ visited, tabStops }).toEqual({ visited: ['a1', 'r1', 'a1', 'a2', 'u1'], tabStops: ['u1'] });
  });

  test('copies one row, several, or all that pass the filter, in the requested form', async () => {
    tab = await openTab();
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

  test('opens a menu for a row by key, moves through it, and returns the focus', async () => {
    tab = await openTab();
    await tab.select('u1');
    await tab.key('F10', { shiftKey: true });
    const items = all('menuitem').map((item) => item.textContent);
    await tab.key('ArrowDown');
    await tab.key('ArrowDown');
    const on = document.activeElement?.textContent;
    await act(() => find('menuitem', 'Copy as JSON').click());
    await tab.key('ContextMenu');
    const back = await tab.walk('Escape');
    expect({ items, on, sent: tab.sent('copyRows'), open: all('menu').length, back }).toEqual({
      items: [
        'Raw Row',
        'Copy Row',
        'Copy as JSON',
        'Copy Text',
        'Open in Chat',
        'Branch from Here',
        'Rewind to Here…',
      ],
      on: 'Copy as JSON',
      sent: [{ sessionId: session().id, uids: ['u1'], filter: everything, form: 'json' }],
      open: 0,
      back: 'u1',
    });
  });

  test('opens the raw row under a row with Enter, reads it again when it changes, and reports when it is gone', async () => {
    const stored = storedRows();
    tab = await openTab(stored);
    await tab.select('u1');
    await tab.key('Enter');
    const raw = (): string =>
      rowOf('u1')?.querySelector('.raw-row pre')?.textContent ??
      rowOf('u1')?.querySelector('.raw-row')?.textContent ??
      '';
    const opened: unknown = JSON.parse(raw());
    stored.storedRow = async () => null;
    await tab.changed();
    const gone = raw();
    await tab.key('Enter');
    expect([opened, gone, rowOf('u1')?.querySelector('.raw-row')]).toEqual([
      { uid: 'u1', role: 'user', parts: [{ kind: 'text', text: 'Why **this**?' }] },
      'Raw RowThis no longer exists.',
      null,
    ]);
  });

  test('shows the earlier content and the changes of a repaired row on request', async () => {
    const stored = storedRows([prompt({ uid: 'u1', position: 1 }, 'stale\n\nnow')]);
    stored.revisions.set('u1', [{ revisedAt: afternoon, parts: [{ kind: 'text', text: 'stale' }] }]);
    tab = await openTab(stored);
    await tab.press('Show Earlier Content');
    const earlier = rowOf('u1')?.querySelector('.earlier-content');
    expect([
      tab.sent('revisions'),
      earlier?.querySelector('[data-part=text]')?.textContent,
      [...(earlier?.querySelectorAll('.diff-added') ?? [])].map((line) => line.textContent?.trim()),
    ]).toEqual([[{ messageUid: 'u1' }], 'stale', ['2+', '3+now']]);
  });

  test('reports what cannot be read and retries, and distinguishes filtered out from empty', async () => {
    tab = new Tab(storedRows([]));
    await tab.tell('bootstrap', {
      ...transcriptState({}, { session: null, problem: 'This session couldn’t be read.' }),
      rows: null,
    });
    const problem = all('alert').map((alert) => alert.querySelector('p')?.textContent);
    await tab.press('Try Again');
    await tab.press('Show Log');
    const asked = tab.posted.map(({ name }) => name);
    await tab.bootstrap();
    expect([problem, asked, document.querySelector('.grid-empty')?.textContent]).toEqual([
      ['This session couldn’t be read.'],
      ['ready', 'ready', 'showLog'],
      'Nothing is stored in this session yet.',
    ]);
  });

  test('keeps the shown rows when more cannot be read', async () => {
    tab = await openTab(long(300));
    tab.refusal = 'The disk is gone.';
    await tab.press('Load Earlier Rows');
    expect([uids().length, all('alert').map((alert) => alert.querySelector('p')?.textContent)]).toEqual([
      200,
      ['The disk is gone.'],
    ]);
  });
});
