import { afterEach, describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { firstPage, SessionListing } from '../../../../src/host/library/sessionListing';
import type { ViewStoreState } from '../../../../src/protocol/chatProtocol';
import type { SessionQuery } from '../../../../src/store/requests';
import { StoreError } from '../../../../src/store/storeError';
import type { SessionSummary } from '../../../../src/transcript/session';
import { ManualClock } from '../../../support/manualClock';
import { RecordingLog } from '../recordingLog';
import { summary } from '../scriptedGateway';

let listings: readonly SessionListing[] = [];
afterEach(() => {
  for (const listing of listings) listing.dispose();
  listings = [];
});

/** A store's list of sessions, as `listSessions` answers it. */
function world(stored: readonly SessionSummary[] = []) {
  const changed = new Emitter<readonly string[]>();
  const storeChanged = new Emitter<void>();
  const clock = new ManualClock();
  const log = new RecordingLog();
  const queries: SessionQuery[] = [];
  const state = {
    stored,
    store: { kind: 'open', notices: [] } as ViewStoreState,
    failure: null as Error | null,
    hold: Promise.resolve(),
    begun: 0,
  };
  const listSessions = async (query: SessionQuery): Promise<readonly SessionSummary[]> => {
    queries.push(query);
    const found = state.stored
      .filter(
        (each) =>
          (query.state === 'trash') === (each.trashedAt !== null) &&
          (each.trashedAt !== null || (query.state === 'archived') === each.archived),
      )
      .filter(
        (each) =>
          (query.pinned === undefined || query.pinned === each.pinned) &&
          (query.text === undefined || (each.title ?? '').includes(query.text)),
      )
      .filter((each) => query.sessionIds === undefined || query.sessionIds.includes(each.conversationId))
      .slice(0, query.limit);
    await state.hold;
    if (state.failure !== null) throw state.failure;
    return found;
  };
  const listing = new SessionListing({
    clock,
    log,
    gateway: {
      store: { listSessions },
      surfaces: { onDidChangeSessions: (listener) => changed.event(listener) },
      turns: { onDidChangeRunning: () => ({ dispose: () => undefined }) },
    },
    store: {
      get shown() {
        return state.store;
      },
      get isReadable() {
        return state.store.kind === 'open';
      },
      begin: () => void state.begun++,
      onDidChange: storeChanged.event,
    },
  });
  listings = [...listings, listing];
  let changes = 0;
  listing.onDidChange(() => void changes++);
  const ids = (): readonly string[] => listing.lists.active.sessions.map(({ id }) => id);
  return { listing, state, queries, clock, changed, storeChanged, ids, changes: () => changes };
}

const many = (count: number) => Array.from({ length: count }, (_, index) => summary(`s${index}`));

describe('the session list of the sessions view', () => {
  it('reads nothing while the view is hidden, and all changes when it is shown', async () => {
    const { listing, queries, state, changed, clock, ids } = world([summary('a')]);
    changed.fire(['a']);
    await clock.advance(1000);
    expect([queries.length, state.begun, listing.state.kind]).toEqual([0, 0, 'loading']);
    listing.watch(true);
    await listing.refresh();
    expect([ids(), listing.state.kind, state.begun]).toEqual([['a'], 'listed', 1]);
  });

  it('reads simultaneous changes once, and does not notify if nothing visible changed', async () => {
    const { listing, queries, state, changed, clock, ids, changes } = world([summary('a')]);
    listing.watch(true);
    await listing.refresh();
    const before = queries.length;
    const told = changes();
    for (let count = 0; count < 20; count++) changed.fire(['a']);
    await clock.advance(1000);
    expect([queries.length - before, changes() - told]).toEqual([4, 0]);
    state.stored = [summary('b'), summary('a')];
    changed.fire(['b']);
    await clock.advance(1000);
    expect([ids(), changes() - told]).toEqual([['b', 'a'], 1]);
  });

  it('reads again what changed during a read', async () => {
    const { listing, state, ids } = world([summary('a')]);
    let go: () => void = () => undefined;
    state.hold = new Promise((resolve) => (go = resolve));
    const first = listing.refresh();
    state.stored = [summary('b')];
    const second = listing.refresh();
    go();
    await Promise.all([first, second]);
    expect(ids()).toEqual(['b']);
  });

  it('shows 5,000 sessions a page at a time, all pinned ones at once, and the origins of its branches', async () => {
    const stored = [summary('branch', { from: 's4999' }), ...many(5000), summary('pinned', { pinned: true })];
    const { listing, queries, ids } = world(stored);
    listing.watch(true);
    await listing.refresh();
    expect([
      ids().length,
      ids()[0],
      ids().at(-1),
      listing.lists.active.hasMore,
      Math.max(...queries.map(({ limit }) => limit)) < 1000,
    ]).toEqual([firstPage + 2, 'pinned', 's4999', true, true]);
    await listing.showMore('active');
    expect([ids().length, listing.lists.active.hasMore]).toEqual([702, true]);
  });

  it('distinguishes no sessions, no match for the filter, and nothing readable', async () => {
    const { listing, state, ids } = world([]);
    const kinds: unknown[] = [];
    const note = async (work: Promise<void>): Promise<void> => {
      await work;
      kinds.push([listing.state.kind, ids().length]);
    };
    await note(listing.refresh());
    state.stored = [summary('a'), summary('old', { archived: true })];
    await note(listing.refresh());
    await note(listing.setFilter(' nowhere '));
    await note(listing.setFilter('Title of old'));
    await note(listing.setFilter(''));
    state.failure = new StoreError('corrupt', 'The file is damaged.', 'SQLITE_CORRUPT');
    await note(listing.refresh());
    expect([kinds, listing.state]).toEqual([
      [
        ['empty', 0],
        ['listed', 1],
        ['filtered', 0],
        ['listed', 0],
        ['listed', 1],
        ['unreadable', 1],
      ],
      { kind: 'unreadable', sentence: 'The file is damaged.' },
    ]);
  });

  it('says why a store cannot be read, and shows loading while it is opened', async () => {
    const { listing, state, queries } = world([summary('a')]);
    state.store = { kind: 'opening' };
    await listing.refresh();
    const opening = listing.state;
    state.store = { kind: 'elsewhere', readable: false, sentence: 'Open in another window.', actions: [] };
    await listing.refresh();
    expect([opening, listing.state, queries.length]).toEqual([
      { kind: 'loading' },
      { kind: 'elsewhere', sentence: 'Open in another window.' },
      0,
    ]);
  });
});
