import type { Clock } from '../../base/clock';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { Emitter, toDisposable, Owner } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { SessionQuery } from '../../store/requests';
import type { SessionSummary } from '../../transcript/session';
import { describeError } from '../common/describeError';
import type { StoreStatus } from '../storage/storeStatus';
import { type ListPart, missingOrigins, type SessionLists } from './sessionGroups';

export const firstPage = 200;
const furtherPage = 500;
const pinnedLimit = 500;
/** Maximum number of levels of missing origins that are read for branches of branches. Deeper branches are shown
 *  without their origins. */
const originRounds = 5;
/** Debounce in milliseconds, so that simultaneous changes are read together. */
const pauseMs = 60;

export type ListName = keyof SessionLists;

/** loading: nothing was read yet · listed · empty: there are no sessions · filtered: no session matches the filter ·
 *  elsewhere: another window has the history · unreadable: `sentence` says why. */
type ListingState =
  | { readonly kind: 'loading' | 'listed' | 'empty' | 'filtered' }
  | { readonly kind: 'elsewhere' | 'unreadable'; readonly sentence: string };

interface ListingDeps {
  readonly gateway: GatewayPart<'store', 'listSessions'> &
    GatewayPart<'surfaces', 'onDidChangeSessions'> &
    GatewayPart<'turns', 'onDidChangeRunning'>;
  readonly store: Pick<StoreStatus, 'shown' | 'isReadable' | 'begin' | 'onDidChange'>;
  readonly clock: Clock;
  readonly log: Log;
}

const nothing: ListPart = { sessions: [], hasMore: false };
const noLists: SessionLists = { active: nothing, archived: nothing, trash: nothing };

/** Stored sessions as the view lists them, read page by page and again after each change. Reads nothing while the
 *  view is hidden; when it becomes visible, reads the missed changes. A failed read keeps the previous list. */
export class SessionListing extends Owner {
  private readonly changes = this.lifetime.register(new Emitter<void>());
  private readonly wanted: Record<ListName, number> = { active: firstPage, archived: firstPage, trash: firstPage };
  private text = '';
  private found = noLists;
  private now: ListingState = { kind: 'loading' };
  private isWatched = false;
  private isStale = true;
  private reading: Promise<void> | null = null;
  private cancelPause: (() => void) | null = null;
  /** Emitted when something shown has changed. */
  readonly onDidChange = this.changes.event;

  constructor(private readonly deps: ListingDeps) {
    super();
    const { gateway, store } = deps;
    const changed = (): void => this.changed();
    for (const listening of [
      gateway.surfaces.onDidChangeSessions(changed),
      gateway.turns.onDidChangeRunning(changed),
      store.onDidChange(changed),
    ])
      this.lifetime.register(listening);
    this.lifetime.register(toDisposable(() => this.cancelPause?.()));
  }

  get lists(): SessionLists {
    return this.found;
  }

  get state(): ListingState {
    return this.now;
  }

  get filter(): string {
    return this.text;
  }

  /** Pass true while the view is visible. */
  watch(isWatched: boolean): void {
    this.isWatched = isWatched;
    if (!isWatched) return;
    this.deps.store.begin();
    if (this.isStale) void this.refresh();
  }

  /** Sets words that titles and first prompts must contain; '' for every session. Resolves once the lists match. */
  async setFilter(text: string): Promise<void> {
    this.text = text.trim();
    for (const list of ['active', 'archived', 'trash'] as const) this.wanted[list] = firstPage;
    await this.refresh();
  }

  async showMore(list: ListName): Promise<void> {
    this.wanted[list] += furtherPage;
    await this.refresh();
  }

  /** Resolves when every change before the call has been read. */
  async refresh(): Promise<void> {
    this.isStale = true;
    while ((this.isStale || this.reading !== null) && !this.lifetime.isDisposed)
      await (this.reading ??= this.read().finally(() => (this.reading = null)));
  }

  private changed(): void {
    this.isStale = true;
    if (!this.isWatched || this.cancelPause !== null) return;
    this.cancelPause = this.deps.clock.after(pauseMs, () => {
      this.cancelPause = null;
      if (this.isStale) void this.refresh();
    });
  }

  private async read(): Promise<void> {
    this.isStale = false;
    const { store, log } = this.deps;
    if (!store.isReadable) return this.emit(this.found, unreadable(store.shown));
    try {
      const [pinned, active, archived, trash] = await Promise.all([
        this.part({ pinned: true }, pinnedLimit),
        this.part({ pinned: false }, this.wanted.active),
        this.part({ state: 'archived' }, this.wanted.archived),
        this.part({ state: 'trash' }, this.wanted.trash),
      ]);
      const sessions = [...pinned.sessions, ...active.sessions];
      const lists: SessionLists = {
        active: { sessions: [...sessions, ...(await this.originsOf(sessions))], hasMore: active.hasMore },
        archived,
        trash,
      };
      const isEmpty = Object.values(lists).every((list: ListPart) => list.sessions.length === 0);
      this.emit(lists, { kind: !isEmpty ? 'listed' : this.text === '' ? 'empty' : 'filtered' });
    } catch (error) {
      const { sentence } = describeError(error);
      log.warn(`The sessions view could not be read: ${sentence}`);
      this.emit(this.found, { kind: 'unreadable', sentence });
    }
  }

  private async part(query: Partial<SessionQuery>, limit: number): Promise<ListPart> {
    const sessions = await this.deps.gateway.store.listSessions({
      ...query,
      ...(this.text === '' ? {} : { text: this.text }),
      limit: limit + 1,
    });
    return { sessions: sessions.slice(0, limit), hasMore: sessions.length > limit };
  }

  /** Origins of a page's branches, which may be much older than the page. */
  private async originsOf(sessions: readonly SessionSummary[]): Promise<readonly SessionSummary[]> {
    if (this.text !== '') return [];
    let origins: readonly SessionSummary[] = [];
    const asked = new Set<string>();
    for (let round = 0; round < originRounds; round++) {
      const missing = missingOrigins([...sessions, ...origins]).filter((conversationId) => !asked.has(conversationId));
      if (missing.length === 0) break;
      for (const conversationId of missing) asked.add(conversationId);
      origins = [
        ...origins,
        ...(await this.deps.gateway.store.listSessions({ sessionIds: missing, limit: missing.length })),
      ];
    }
    return origins;
  }

  private emit(lists: SessionLists, state: ListingState): void {
    if (this.lifetime.isDisposed) return;
    const isSame = JSON.stringify([lists, state]) === JSON.stringify([this.found, this.now]);
    this.found = lists;
    this.now = state;
    if (!isSame) this.changes.fire();
  }
}

function unreadable(shown: StoreStatus['shown']): ListingState {
  if (!('sentence' in shown)) return { kind: 'loading' };
  return { kind: shown.kind === 'elsewhere' ? 'elsewhere' : 'unreadable', sentence: shown.sentence };
}
