import { DisposableStore, type Disposable } from '../../../base/disposable';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import type { Log } from '../../../base/log';
import {
  searchCommands,
  searchRequests,
  type OpenDestination,
  type SearchAnswer,
  type SearchResult,
  type SearchKind,
  type SearchNotifications,
  type SearchPage,
  type SearchResults,
  type SearchSession,
} from '../protocol/searchProtocol';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { SearchHit as StoredHit } from '../../../store/requests';
import type { SessionSummary } from '../../../transcript/session';
import { describeError } from '../../../host/common/describeError';
import type { StoreStatus } from '../../../host/storage/storeStatus';
import { ViewEndpoint, type WebviewPort } from '../../../host/webviews/viewEndpoint';

/** Maximum number of sessions with a matching title, shown above the messages. */
const mostTitled = 10;

export interface SearchDeps {
  readonly gateway: GatewayPart<'store', 'listSessions'>;
  readonly sessions: Pick<SessionStore, 'search' | 'statistics'>;
  readonly store: Pick<StoreStatus, 'settled' | 'shown' | 'isReadable' | 'hasJustOpened' | 'onDidChange'>;
  readonly localization: Readonly<Record<string, string>>;
  readonly open: (sessionId: string, messageUid: string | null, place: OpenDestination) => Promise<void>;
  readonly log: Log;
}

interface Asked {
  readonly search: number;
  readonly text: string;
  readonly kind: SearchKind;
  readonly offset: number;
  readonly limit: number;
}

/** Host part of the search screen: reads the store, one search at a time, and opens results. Keeps no state. */
export class SearchSurface implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly endpoint: ViewEndpoint<
    typeof searchCommands,
    typeof searchRequests,
    SearchResults,
    SearchNotifications
  >;
  private running: { readonly search: number; readonly abort: AbortController } | null = null;
  private ready = false;

  constructor(
    private asked: string | null,
    port: WebviewPort,
    private readonly deps: SearchDeps,
  ) {
    this.endpoint = this.lifetime.register(
      new ViewEndpoint<typeof searchCommands, typeof searchRequests, SearchResults, SearchNotifications>(
        port,
        { commands: searchCommands, requests: searchRequests },
        {
          commands: {
            ready: () => this.bootstrap(),
            cancel: ({ search }) => {
              if (this.running?.search === search) this.stop();
            },
          },
          requests: {
            search: (asked) => this.search(asked),
            open: async ({ sessionId, messageUid, place }) => {
              await deps.open(sessionId, messageUid, place);
              return null;
            },
          },
        },
        deps.log,
      ),
    );
    this.lifetime.register(
      deps.store.onDidChange(() => {
        if (this.ready && deps.store.hasJustOpened) void this.bootstrap();
      }),
    );
  }

  /** Puts a text into the field, now or once the page is loaded. */
  ask(text: string): void {
    if (this.ready) this.endpoint.notify('ask', { text });
    else this.asked = text;
  }

  /** Called when the page is unloaded. It sends `ready` when it is back. */
  pageUnloaded(): void {
    this.ready = false;
    this.stop();
  }

  dispose(): void {
    this.stop();
    this.lifetime.dispose();
  }

  private async bootstrap(): Promise<void> {
    const { store, localization } = this.deps;
    await store.settled();
    const { shown } = store;
    const problem = store.isReadable || !('sentence' in shown) ? null : shown.sentence;
    this.endpoint.notify('bootstrap', { asked: this.asked, problem, localization });
    this.asked = null;
    this.ready = true;
  }

  private stop(): void {
    this.running?.abort.abort();
    this.running = null;
  }

  private async search(asked: Asked): Promise<SearchAnswer> {
    this.stop();
    const running = { search: asked.search, abort: new AbortController() };
    this.running = running;
    const { signal } = running.abort;
    try {
      return await this.find(asked, signal);
    } catch (error) {
      if (signal.aborted) return { kind: 'cancelled' };
      throw error;
    } finally {
      if (this.running === running) this.running = null;
    }
  }

  private async find({ search, text, kind, offset, limit }: Asked, signal: AbortSignal): Promise<SearchPage> {
    const { store, sessions } = this.deps;
    await store.settled();
    const titled = offset === 0 ? await this.list({ text, limit: mostTitled }) : [];
    const progress = (done: number, total: number): void => {
      if (!signal.aborted) this.endpoint.notify('progress', { search, progress: { done, total } });
    };
    // Read one more than is shown, to know if there is more.
    const found = await sessions.search({ text, kind, offset, limit: limit + 1 }, signal, ({ done, total }) =>
      progress(done, total),
    );
    const hits = found.slice(0, limit).map(shownHit);
    const ids = [...new Set(hits.map(({ conversationId }) => conversationId))];
    const [known, indexLeft] = await Promise.all([
      ids.length === 0 ? [] : this.list({ sessionIds: ids, limit: ids.length }),
      offset === 0 ? this.indexLeft() : 0,
    ]);
    signal.throwIfAborted();
    return { kind: 'found', hits, hasMore: found.length > limit, sessions: known, titled, indexLeft };
  }

  /** Includes the archive: archived sessions must be found too. */
  private async list(query: {
    readonly text?: string;
    readonly sessionIds?: readonly string[];
    readonly limit: number;
  }): Promise<readonly SearchSession[]> {
    const lists = await Promise.all(
      (['active', 'archived'] as const).map((state) => this.deps.gateway.store.listSessions({ ...query, state })),
    );
    return lists.flat().slice(0, query.limit).map(searchSession);
  }

  private async indexLeft(): Promise<number> {
    try {
      return (await this.deps.sessions.statistics()).dirtyRows;
    } catch (error) {
      // Only an extra number: the results are right without it.
      this.deps.log.warn(`How much is not indexed yet could not be read: ${describeError(error).sentence}`);
      return 0;
    }
  }
}

function shownHit({
  sessionId,
  conversationId,
  sessionTitle,
  messageUid,
  role,
  createdAt,
  snippet,
  matches,
}: StoredHit): SearchResult {
  return { sessionId, conversationId, sessionTitle, messageUid, role, createdAt, snippet, matches };
}

function searchSession(summary: SessionSummary): SearchSession {
  const { id, conversationId, title, preview, lastActiveAt, turnCount, archived, branchOf } = summary;
  return { id, conversationId, title, preview, lastActiveAt, turnCount, archived, private: summary.private, branchOf };
}
