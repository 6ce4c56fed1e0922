import { afterEach, describe, expect, it } from 'vitest';
import { SearchSurface } from '../../../../src/features/search/host/searchSurface';
import { StoreStatus } from '../../../../src/host/storage/storeStatus';
import type { SearchHit, SearchQuery, SessionQuery } from '../../../../src/store/requests';
import { StoreError } from '../../../../src/store/storeError';
import type { SessionStore } from '../../../../src/store/session/sessionStore';
import type { WindowContext } from '../../../../src/host/window/windowContext';
import { RecordingLog } from '../../host/recordingLog';
import type { WorkProgress } from '../../../../src/store/slicedWork';
import { RecordingPort, settle } from '../../host/recordingPort';
import { ScriptedGateway, session } from '../../host/scriptedGateway';
import { elsewhereState, openState, StoreAtHand } from '../../host/storeAtHand';

interface Running {
  readonly query: SearchQuery;
  readonly signal: AbortSignal | undefined;
  readonly progress: ((progress: WorkProgress) => void) | undefined;
  readonly answer: (hits: readonly SearchHit[]) => void;
  readonly fail: (error: Error) => void;
}

let surfaces: readonly SearchSurface[] = [];
afterEach(() => {
  for (const surface of surfaces) surface.dispose();
  surfaces = [];
});

function screen(asked: string | null = null, state = openState) {
  const port = new RecordingPort();
  const gateway = new ScriptedGateway(session('s1'));
  const listed: SessionQuery[] = [];
  const opened: unknown[] = [];
  const running: Running[] = [];
  const connection = new StoreAtHand(state);
  const summaries = gateway.store.listSessions.bind(gateway);
  const store: Pick<SessionStore, 'search' | 'statistics'> = {
    // As the store does: an aborted search rejects at once.
    search: (query, signal, progress) =>
      new Promise((answer, fail) => {
        running.push({ query, signal, progress, answer, fail });
        signal?.addEventListener('abort', () => fail(new Error('aborted')));
      }),
    statistics: async () => ({ sessions: 1, messages: 2, fileBytes: 3, logBytes: 4, dirtyRows: 1200 }),
  };
  const listSessions = async (query: SessionQuery) => {
    listed.push(query);
    return query.state === 'archived' ? [] : summaries(query);
  };
  const window = {
    gateway: { store: { listSessions } },
    history: { store, status: new StoreStatus(connection) },
    localization: { Words: 'Wörter' },
    opener: {
      open: async (...target: readonly unknown[]) => {
        opened.push(target);
        if (target[0] === 'gone') throw new StoreError('not-found', 'This session no longer exists.', 'no row');
      },
    },
    log: new RecordingLog(),
  };
  const surface = new SearchSurface(asked, port, window as unknown as WindowContext);
  surfaces = [...surfaces, surface];
  return { port, surface, listed, opened, running, connection };
}

function hit(messageUid: string): SearchHit {
  return {
    sessionId: 's1',
    conversationId: 's1',
    position: 7,
    sessionTitle: 'Title of s1',
    messageUid,
    role: 'user',
    createdAt: 1,
    snippet: 'needle',
    matches: [{ start: 0, end: 6 }],
  };
}

const ask = (port: RecordingPort, search: number, change: object = {}): void =>
  port.request(search, 'search', { search, text: 'needle', kind: 'words', offset: 0, limit: 2, ...change });

describe('the search screen', () => {
  it('starts with the given query, and says why nothing can be searched', async () => {
    const asked = screen('flaky test');
    asked.port.command('ready');
    const failed = screen(null, elsewhereState);
    failed.port.command('ready');
    await settle();
    expect([asked.port.notifications, failed.port.notifications]).toEqual([
      [['bootstrap', { asked: 'flaky test', problem: null, localization: { Words: 'Wörter' } }]],
      [
        [
          'bootstrap',
          { asked: null, problem: expect.stringMatching(/another window/), localization: { Words: 'Wörter' } },
        ],
      ],
    ]);
  });

  it('accepts a text from elsewhere whether or not its page is loaded', async () => {
    const { port, surface } = screen('first');
    surface.ask('second');
    port.command('ready');
    await settle();
    surface.ask('third');
    expect(port.notifications.map(([name, payload]) => [name, payload])).toEqual([
      ['bootstrap', expect.objectContaining({ asked: 'second' })],
      ['ask', { text: 'third' }],
    ]);
  });

  it('returns a page of messages with their sessions, the sessions whose title matches, and whether there is more', async () => {
    const { port, running, listed } = screen();
    ask(port, 1);
    await settle();
    running[0]?.answer([hit('m1'), hit('m2'), hit('m3')]);
    await settle();
    expect({ query: running[0]?.query, listed, answer: port.responses }).toEqual({
      query: { text: 'needle', kind: 'words', offset: 0, limit: 3 },
      listed: [
        { text: 'needle', limit: 10, state: 'active' },
        { text: 'needle', limit: 10, state: 'archived' },
        { sessionIds: ['s1'], limit: 1, state: 'active' },
        { sessionIds: ['s1'], limit: 1, state: 'archived' },
      ],
      answer: [
        expect.objectContaining({
          id: 1,
          ok: true,
          result: {
            hits: [expect.objectContaining({ messageUid: 'm1' }), expect.objectContaining({ messageUid: 'm2' })],
            hasMore: true,
            sessions: [expect.objectContaining({ id: 's1', title: 'Title of s1' })],
            titled: [expect.objectContaining({ id: 's1' })],
            indexLeft: 1200,
          },
        }),
      ],
    });
  });

  it('reports the progress of a scan, and ends it when the user cancels', async () => {
    const { port, running } = screen();
    ask(port, 5, { kind: 'substring' });
    await settle();
    running[0]?.progress?.({ done: 10, total: 30 });
    port.command('cancel', { search: 4 });
    const other = running[0]?.signal?.aborted;
    port.command('cancel', { search: 5 });
    running[0]?.progress?.({ done: 20, total: 30 });
    await settle();
    expect({ other, now: running[0]?.signal?.aborted, told: port.notifications, answer: port.responses }).toEqual({
      other: false,
      now: true,
      told: [['progress', { search: 5, progress: { done: 10, total: 30 } }]],
      answer: [expect.objectContaining({ id: 5, ok: true, result: null })],
    });
  });

  it('ends a search when the next one starts, and when its page is closed', async () => {
    const { port, running, surface } = screen();
    ask(port, 1);
    await settle();
    ask(port, 2, { text: 'needles' });
    await settle();
    const first = running[0]?.signal?.aborted;
    surface.pageUnloaded();
    await settle();
    expect([
      first,
      running[1]?.signal?.aborted,
      port.responses.map((response) => 'result' in response && response.result),
    ]).toEqual([true, true, [null, null]]);
  });

  it('opens a result at the requested place, or says why not', async () => {
    const { port, opened } = screen();
    port.request(1, 'open', { sessionId: 's1', messageUid: 'm1', place: 'transcript' });
    port.request(2, 'open', { sessionId: 'gone', messageUid: null, place: 'chat' });
    port.request(3, 'open', { sessionId: 's1', messageUid: null, place: 'elsewhere' });
    await settle();
    expect({ opened, ok: port.responses.map((response) => 'ok' in response && [response.id, response.ok]) }).toEqual({
      opened: [
        ['s1', 'm1', 'transcript'],
        ['gone', null, 'chat'],
      ],
      ok: [
        [3, false],
        [1, true],
        [2, false],
      ],
    });
  });
});
