// @vitest-environment happy-dom
import { createElement } from 'preact';
import { act } from 'preact/test-utils';
import { describe, expect, test } from 'vitest';
import type {
  SearchNotifications,
  SearchPage,
  SearchProtocol,
  SearchState,
} from '../../../../src/features/search/protocol/searchProtocol';
import { connectToHost } from '../../../../src/webview/rpc';
import { ViewPage } from '../../webview/viewPage';
import { SearchApp } from '../../../../src/features/search/view/SearchApp';
import { SearchController, type SearchMemory } from '../../../../src/features/search/view/searchController';
import { plainSnippet, searchGroups, snippetPieces } from '../../../../src/features/search/view/searchGroups';
import { searchHit, searchPage, searchSession } from '../../../support/builders/searchResults';
import { afternoon } from '../../../support/builders/viewMessages';
import { ManualClock } from '../../../support/manualClock';
import { all, find, names, texts } from '../../webview/elements';

const nothingKept: SearchMemory = { version: 1, text: '', kind: 'words', active: null, loaded: 0 };

class Screen extends ViewPage {
  readonly clock = new ManualClock(afternoon);
  kept: SearchMemory | null = null;

  constructor(recalled = nothingKept) {
    super();
    const screen = new SearchController(
      connectToHost<SearchProtocol>(this.api, this.channel),
      { getState: () => recalled, setState: (memory) => (this.kept = memory as SearchMemory) },
      { after: (delayMs, callback) => this.clock.after(delayMs, callback), nowMs: () => this.clock.now() * 1000 },
    );
    this.show(createElement(SearchApp, { screen }));
    screen.start();
  }

  async bootstrap(change: Partial<SearchState> = {}): Promise<void> {
    await this.tell('bootstrap', { asked: null, problem: null, localization: {}, ...change });
  }

  async tell<Name extends keyof SearchNotifications>(name: Name, payload: SearchNotifications[Name]): Promise<void> {
    await this.say({ kind: 'notification', name, payload });
  }

  async type(text: string): Promise<void> {
    await this.fill(find('textbox', 'Search all sessions'), text);
  }

  async pause(): Promise<void> {
    await act(() => this.clock.advance(200));
  }

  /** Answers a search by its number among those asked, the last one without it. */
  async answer(answer: SearchPage | null, at = -1): Promise<void> {
    await this.say({ kind: 'response', id: this.searches.at(at)?.id, ok: true, result: answer });
  }

  async refuse(sentence: string): Promise<void> {
    await this.say({
      kind: 'response',
      id: this.posted.findLast(({ kind }) => kind === 'request')?.id,
      ok: false,
      error: { sentence, cause: 'io' },
    });
  }

  get searches(): readonly { readonly id: number; readonly payload: unknown }[] {
    return this.posted.filter(({ name }) => name === 'search');
  }

  get status(): string {
    return all('status')[0]?.textContent ?? '';
  }

  protected override follows(): Promise<unknown> {
    return new Promise((resolve) => setTimeout(resolve));
  }

  private say(message: object): Promise<void> {
    return this.acting(() => this.dispatch(message));
  }
}

let screen: Screen;

const focused = (): string | undefined =>
  document.activeElement instanceof HTMLElement
    ? (document.activeElement.dataset['result'] ?? document.activeElement.id)
    : undefined;
const shownHits = (): readonly (string | undefined)[] =>
  [...document.querySelectorAll<HTMLElement>('[data-result]')].map(({ dataset }) => dataset['result']);

const found = searchPage({
  hits: [
    searchHit('m1', 'a needle in hay', ['needle']),
    searchHit('m2', 'other', ['other'], { sessionId: 's2', conversationId: 's2', sessionTitle: 'Second' }),
    searchHit('m3', 'needle again', ['needle']),
  ],
  sessions: [searchSession({ turnCount: 4, archived: true })],
});

/** The screen after a search for "needle". */
async function openFound(): Promise<void> {
  screen = new Screen();
  await screen.bootstrap({ asked: 'needle' });
  await screen.answer(found);
}

describe('the search screen', () => {
  test('searches when typing pauses, and shows messages under their sessions with the words marked', async () => {
    screen = new Screen();
    await screen.bootstrap();
    const idle = screen.status;
    await screen.type('nee');
    await screen.type('needle ');
    await screen.pause();
    const asked = screen.searches.map(({ payload }) => payload);
    const searching = screen.status;
    await screen.answer(found);
    const groups = all('listitem').filter((item) => item.classList.contains('result-group'));
    expect({
      idle,
      asked,
      searching,
      status: screen.status,
      order: shownHits(),
      groups: groups.map((group) => group.querySelector('h2')?.textContent),
      marks: texts('mark'),
    }).toEqual({
      idle: 'Type to search the messages of all sessions in this folder.',
      asked: [expect.objectContaining({ text: 'needle', kind: 'words', offset: 0, limit: 50 })],
      searching: 'Searching…',
      status: '3 messages in 2 sessions',
      order: ['m1', 'm3', 'm2'],
      groups: ['Fix flaky upload testnow · 4 turns · archived', 'Second'],
      marks: ['needle', 'needle', 'other'],
    });
  });

  test('shows sessions by their title above the messages, but not those whose messages are listed anyway', async () => {
    screen = new Screen();
    await screen.bootstrap({ asked: 'needle' });
    await screen.answer({
      ...found,
      titled: [searchSession(), searchSession({ id: 's9', conversationId: 's9', title: 'Needle work' })],
    });
    await act(() => document.querySelector<HTMLElement>('.titled .session-button')?.click());
    expect([texts('.titled .session-name'), screen.posted.at(-1)?.payload]).toEqual([
      ['Needle work'],
      { sessionId: 's9', messageUid: null, place: 'chat' },
    ]);
  });

  test('keeps the results in view while the next search runs, and drops an answer that comes too late', async () => {
    await openFound();
    await screen.type('needles');
    await screen.pause();
    const during = shownHits();
    await screen.type('hay');
    await screen.pause();
    await screen.answer(searchPage({ hits: [searchHit('late', 'late', [])] }), -2);
    const late = shownHits();
    await screen.answer(searchPage({ hits: [searchHit('now', 'now', [])] }));
    expect({
      during,
      late,
      cancelled: screen.posted.filter(({ name }) => name === 'cancel').length,
      now: shownHits(),
      status: screen.status,
    }).toEqual({
      during: ['m1', 'm3', 'm2'],
      late: ['m1', 'm3', 'm2'],
      cancelled: 1,
      now: ['now'],
      status: '1 message',
    });
  });

  test('shows the progress of a scan, and stops it', async () => {
    screen = new Screen();
    await screen.bootstrap({ asked: 'need' });
    await screen.press('Contains');
    const { payload } = screen.searches.at(-1) ?? { payload: null };
    const search =
      typeof payload === 'object' && payload !== null && 'search' in payload && typeof payload.search === 'number'
        ? payload.search
        : 0;
    await screen.tell('progress', { search: search - 1, progress: { done: 1, total: 9 } });
    const ofAnother = document.querySelectorAll('progress').length;
    await screen.tell('progress', { search, progress: { done: 1500, total: 6000 } });
    const bar = document.querySelector('progress')?.getAttribute('aria-valuetext');
    await screen.press('Cancel');
    await screen.answer(null);
    expect({
      kind: payload,
      ofAnother,
      bar,
      cancelled: screen.posted.at(-1),
      status: screen.status,
      bars: document.querySelectorAll('progress').length,
    }).toEqual({
      kind: expect.objectContaining({ text: 'need', kind: 'substring' }),
      ofAnother: 0,
      bar: '1,500 of 6,000 rows read',
      cancelled: expect.objectContaining({ name: 'cancel', payload: { search } }),
      status: 'The search was stopped. Press Enter to search again.',
      bars: 0,
    });
  });

  test('distinguishes no results from rows not indexed yet, and offers to search for parts of words', async () => {
    screen = new Screen();
    await screen.bootstrap({ asked: 'eedl' });
    await screen.answer(searchPage({ indexLeft: 12_340 }));
    const words = [screen.status, document.querySelector('.search-note')?.textContent];
    await screen.press('Find messages that contain this text anywhere');
    await screen.answer(searchPage());
    expect({
      words,
      asked: screen.searches.at(-1)?.payload,
      substring: [screen.status, document.querySelector('.search-note')],
    }).toEqual({
      words: [
        'No messages contain the words “eedl”',
        '12,340 rows aren’t in the search index yet. They are still found, but searching takes longer.',
      ],
      asked: expect.objectContaining({ kind: 'substring' }),
      substring: ['Nothing found for “eedl”', null],
    });
  });

  test('explains why it could not read, and recovers', async () => {
    screen = new Screen();
    await screen.bootstrap({ asked: 'needle' });
    await screen.refuse('The sessions couldn’t be read.');
    const refused = [names('alert'), screen.status];
    await act(() => find('button', 'Try Again').click());
    await screen.refuse('The sessions couldn’t be read.');
    expect([
      document.activeElement?.id,
      screen.posted.filter(({ name }) => name === 'search').map(({ payload }) => payload),
    ]).toEqual([
      'search-field',
      [expect.objectContaining({ text: 'needle' }), expect.objectContaining({ text: 'needle' })],
    ]);
    await act(() => find('textbox', 'Search all sessions').focus());
    await screen.key('Enter');
    await screen.answer(found);
    expect([refused, names('alert'), shownHits().length]).toEqual([[['The sessions couldn’t be read.'], ''], [], 3]);
  });

  test('goes from the field to the results and back with the arrow keys, and opens with Enter', async () => {
    await openFound();
    await act(() => find('textbox', 'Search all sessions').focus());
    const visited: (string | undefined)[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'End', 'ArrowDown', 'ArrowUp', 'Home', 'ArrowUp']) {
      await screen.key(key);
      visited.push(focused());
    }
    await act(() => document.querySelector<HTMLElement>('[data-result=m3]')?.click());
    await act(
      () =>
        void document
          .querySelector<HTMLElement>('[data-result=m2]')
          ?.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true })),
    );
    await act(() => document.querySelector<HTMLElement>('.session-button')?.click());
    expect({
      visited,
      opened: screen.posted.filter(({ name }) => name === 'open').map(({ payload }) => payload),
    }).toEqual({
      visited: ['m1', 'm3', 'm2', 'm2', 'm3', 'm1', 'search-field'],
      opened: [
        { sessionId: '20261112_140200_a1b2c3', messageUid: 'm3', place: 'chat' },
        { sessionId: 's2', messageUid: 'm2', place: 'transcript' },
        { sessionId: '20261112_140200_a1b2c3', messageUid: null, place: 'chat' },
      ],
    });
  });

  test('shows more on demand, each message once', async () => {
    screen = new Screen();
    await screen.bootstrap({ asked: 'needle' });
    await screen.answer({ ...found, hasMore: true });
    const before = screen.status;
    await screen.press('Show More');
    await screen.answer(
      searchPage({
        hits: [
          searchHit('m3', 'needle again', []),
          searchHit('m4', 'more', [], { sessionId: 's3', conversationId: 's3' }),
        ],
      }),
    );
    expect({
      before,
      asked: screen.searches.at(-1)?.payload,
      hits: shownHits(),
      more: names('button').includes('Show More'),
    }).toEqual({
      before: 'The newest 3 messages, in 2 sessions',
      asked: expect.objectContaining({ text: 'needle', offset: 3, limit: 50 }),
      hits: ['m1', 'm3', 'm2', 'm4'],
      more: false,
    });
  });

  test('returns as it was left: text, way of searching, how much was loaded, and the focused result', async () => {
    screen = new Screen();
    await screen.bootstrap({ asked: 'needle' });
    await screen.press('Contains');
    await screen.answer(found);
    await act(() => document.querySelector<HTMLElement>('[data-result=m3]')?.focus());
    const { kept } = screen;
    screen = new Screen(kept ?? nothingKept);
    await screen.bootstrap();
    await screen.answer(found);
    expect({ kept, asked: screen.searches.map(({ payload }) => payload), focused: focused() }).toEqual({
      kept: { version: 1, text: 'needle', kind: 'substring', active: 'm3', loaded: 3 },
      asked: [expect.objectContaining({ text: 'needle', kind: 'substring', offset: 0, limit: 50 })],
      focused: 'm3',
    });
  });
});

test('a group shows what was said before what tools returned', async () => {
  const hits = [
    searchHit('t1', 'needle', ['needle'], { role: 'tool' }),
    searchHit('a1', 'needle', ['needle'], { role: 'assistant' }),
    searchHit('t2', 'needle', ['needle'], { role: 'tool' }),
    searchHit('u1', 'needle', ['needle']),
  ];
  expect(searchGroups(hits, new Map())[0]?.hits.map(({ messageUid }) => messageUid)).toEqual(['a1', 'u1', 't1', 't2']);
});

test('a snippet of an answer has no marks of Markdown but those that were searched for; a prompt stays as typed', () => {
  const shown = (text: string, words: readonly string[], change = {}): string =>
    snippetPieces(plainSnippet(searchHit('m', text, words, { role: 'assistant', ...change })))
      .map(({ text: piece, matched }) => (matched ? `[${piece}]` : piece))
      .join('');
  expect([
    shown('…the **parts** of `upload()` ### Steps ```ts const a = b[0](c); ``` see [the **guide**](docs/a.md).', [
      'parts',
      'guide',
    ]),
    shown('a ** b', [], { matches: [{ start: 2, end: 4 }] }),
    shown('the **parts**', ['parts'], { role: 'user' }),
    shown('__init__ and snake_case, 2 # 3', []),
  ]).toEqual([
    '…the [parts] of upload() Steps  const a = b[0](c);  see the [guide].',
    'a [**] b',
    'the **[parts]**',
    '__init__ and snake_case, 2 # 3',
  ]);
});

test('a snippet is cut at its matches, whatever their order and however they overlap', () => {
  screen = new Screen();
  const pieces = snippetPieces({
    snippet: 'abcdefgh',
    matches: [
      { start: 6, end: 20 },
      { start: 1, end: 3 },
      { start: 2, end: 4 },
    ],
  });
  expect(pieces.map(({ text, matched }) => (matched ? `[${text}]` : text)).join('')).toBe('a[bc][d]ef[gh]');
});
