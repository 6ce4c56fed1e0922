// @vitest-environment happy-dom
import { act } from 'preact/test-utils';
import { describe, expect, test } from 'vitest';
import { transcriptState, treeBranch } from '../../../../support/builders/transcriptState';
import { afternoon, prompt, session } from '../../../../support/builders/viewMessages';
import { all, find, texts } from '../../../webview/elements';
import { Tab, long, openTab, pause, rowOf, rows, storedRows, uids } from './transcriptTab';

let tab: Tab;

describe('finding text in a transcript', () => {
  test('covers rows that are not loaded, counts them, and loads its target without taking the focus', async () => {
    const stored = long(3000);
    stored.messages = stored.messages.map((message, index) =>
      index === 7 || index === 2990
        ? prompt({ uid: message.uid, position: message.position, turnUid: message.turnUid ?? '' }, 'The Needle')
        : message,
    );
    tab = await openTab(stored);
    await tab.look('needle');
    await tab.key('Enter');
    await act(pause);
    const words = document.querySelector('.find-count')?.textContent;
    const first = [
      uids().includes('m7'),
      rowOf('m7')?.getAttribute('aria-selected'),
      document.activeElement?.getAttribute('aria-label'),
    ];
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
      cased: 'No matching rows',
    });
  });

  test('searches only the rows that pass the filter', async () => {
    tab = await openTab();
    await tab.look('first try');
    await tab.key('Enter');
    const shown = document.querySelector('.find-count')?.textContent;
    await tab.press('Hidden Rows (2)');
    await act(() => find('textbox', 'Find').focus());
    await tab.key('Enter');
    await act(pause);
    expect([shown, document.querySelector('.find-count')?.textContent]).toEqual(['No matching rows', '1 of 1 rows']);
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
    all('treeitem').map((item) => [
      item.dataset['conversation'],
      item.getAttribute('aria-level'),
      item.getAttribute('aria-expanded'),
      item.getAttribute('aria-current'),
    ]);

  test('are a tree with the shown session marked in it, and folded by keys', async () => {
    tab = new Tab();
    await tab.tell('bootstrap', transcriptState({ messages: rows }, { branches }));
    const unfolded = items();
    await act(() => all('treeitem')[1]?.focus());
    await tab.key('ArrowLeft');
    expect({
      unfolded,
      folded: items().map(([id, , expanded]) => [id, expanded]),
      name: all('tree')[0]?.getAttribute('aria-labelledby'),
    }).toEqual({
      unfolded: [
        ['root', '1', 'true', null],
        [here, '2', 'true', 'true'],
        ['deep', '3', null, null],
        ['side', '2', null, null],
      ],
      folded: [
        ['root', 'true'],
        [here, 'false'],
        ['side', null],
      ],
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

  test('are shown when a session has some, hidden when the user asks, and that is kept', async () => {
    tab = new Tab();
    await tab.tell('bootstrap', transcriptState({ messages: rows }, { branches: branches.slice(1, 2) }));
    const alone = all('tree').length;
    await tab.tell('branches', branches);
    const several = all('tree').length;
    await tab.press('Branches (4)');
    const { kept } = tab;
    tab = new Tab(storedRows(), kept);
    await tab.tell('bootstrap', transcriptState({ messages: rows }, { branches }));
    expect([alone, several, kept?.branches, all('tree').length]).toEqual([0, 1, false, 0]);
  });

  test('carry nothing over to the next session', async () => {
    tab = new Tab();
    await tab.tell('bootstrap', transcriptState({ messages: rows }, { branches }));
    await tab.select('a2');
    await tab.tell(
      'bootstrap',
      transcriptState(
        { messages: rows.slice(0, 1) },
        { branches, session: session({ id: 'deep', conversationId: 'deep' }) },
      ),
    );
    expect([
      all('row').filter((row) => row.getAttribute('aria-selected') === 'true').length,
      tab.kept?.sessionId,
      tab.kept?.anchor,
    ]).toEqual([0, 'deep', null]);
  });
});

describe('a session of another folder', () => {
  test('shows its folder, and can only be exported and brought over', async () => {
    tab = new Tab();
    await tab.bootstrap({ otherFolder: '/home/me/other', readAt: afternoon });
    await tab.select('u1');
    const offered = [...document.querySelectorAll('.toolbar-actions button')].map((button) =>
      button.textContent?.trim(),
    );
    await tab.press('Copy to This Folder');
    await tab.press('Export…');
    expect({
      note: document.querySelector('.transcript-note')?.textContent?.replace(/Read on .*/, 'Read on …'),
      offered,
      asked: tab.posted.slice(-2).map(({ name }) => name),
    }).toEqual({
      note: 'Session from /home/me/other, as it was when you opened this tab. Read-only. Read on …',
      offered: ['Verify', 'Copy to This Folder', 'Export…'],
      asked: ['openInChat', 'exportSession'],
    });
  });
});

describe('a history file', () => {
  test('can be imported, read again, and asked for another session; its rows offer nothing that writes', async () => {
    tab = new Tab();
    await tab.bootstrap({ file: { sessions: 2 }, readAt: afternoon });
    await tab.select('u1');
    const offered = [...document.querySelectorAll('.toolbar-actions button')].map((button) =>
      button.textContent?.trim(),
    );
    for (const name of ['Import', 'Show All Sessions…', 'Reload']) await tab.press(name);
    await act(() => {
      rowOf('u1')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
    });
    const asked = tab.posted.slice(-4);
    await tab.press('More Actions…');
    expect({
      note: document.querySelector('.transcript-note')?.textContent?.replace(/Read on .*/, 'Read on …'),
      offered,
      asked: asked.map(({ name, payload }) => (name === 'fileAction' ? payload : name)),
      menu: texts('.menu-item'),
    }).toEqual({
      note: 'Stored rows: 6. Read-only. Read on …',
      offered: ['Verify', 'Import', 'Show All Sessions…', 'Reload'],
      asked: [{ action: 'import' }, { action: 'chooseSession' }, { action: 'reload' }, 'ready'],
      menu: ['Raw Row', 'Copy Row', 'Copy as JSON', 'Copy Text'],
    });
  });
});
