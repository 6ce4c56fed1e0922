import type * as v from 'valibot';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import {
  searchCommands,
  searchRequests,
  type SearchNotifications,
  type SearchPage,
  type SearchResults,
  type SearchSession,
} from '../protocol/searchProtocol';
import { describeError } from '../../../host/common/describeError';
import { ViewEndpoint, type WebviewPort } from '../../../host/webviews/viewEndpoint';
import type { WindowContext } from '../../../host/window/windowContext';

/** Maximum number of sessions with a matching title, shown above the messages. */
const mostTitled = 10;

type Asked = v.InferOutput<typeof searchRequests.search>;

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
    private readonly window: Pick<WindowContext, 'gateway' | 'history' | 'opener' | 'localization' | 'log'>,
  ) {
    const { opener, history, log } = window;
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
              await opener.open(sessionId, messageUid, place);
              return null;
            },
          },
        },
        log,
      ),
    );
    this.lifetime.register(
      history.status.onDidChange(() => {
        if (this.ready && history.status.hasJustOpened) void this.bootstrap();
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
    const { history, localization } = this.window;
    const { status } = history;
    await status.settled();
    const { shown } = status;
    const problem = status.isReadable || !('sentence' in shown) ? null : shown.sentence;
    this.endpoint.notify('bootstrap', { asked: this.asked, problem, localization });
    this.asked = null;
    this.ready = true;
  }

  private stop(): void {
    this.running?.abort.abort();
    this.running = null;
  }

  private async search(asked: Asked): Promise<SearchPage | null> {
    this.stop();
    const running = { search: asked.search, abort: new AbortController() };
    this.running = running;
    const { signal } = running.abort;
    try {
      return await this.find(asked, signal);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    } finally {
      if (this.running === running) this.running = null;
    }
  }

  private async find({ search, text, kind, offset, limit }: Asked, signal: AbortSignal): Promise<SearchPage> {
    const { status, store } = this.window.history;
    await status.settled();
    const titled = offset === 0 ? await this.list({ text, limit: mostTitled }) : [];
    // Read one more than is shown, to know if there is more.
    const found = await store.search({ text, kind, offset, limit: limit + 1 }, signal, ({ done, total }) => {
      if (!signal.aborted) this.endpoint.notify('progress', { search, progress: { done, total } });
    });
    const hits = found.slice(0, limit);
    const ids = [...new Set(hits.map(({ conversationId }) => conversationId))];
    const [known, indexLeft] = await Promise.all([
      ids.length === 0 ? [] : this.list({ sessionIds: ids, limit: ids.length }),
      offset === 0 ? this.indexLeft() : 0,
    ]);
    signal.throwIfAborted();
    return { hits, hasMore: found.length > limit, sessions: known, titled, indexLeft };
  }

  /** Includes the archive: archived sessions must be found too. */
  private async list(query: {
    readonly text?: string;
    readonly sessionIds?: readonly string[];
    readonly limit: number;
  }): Promise<readonly SearchSession[]> {
    const lists = await Promise.all(
      (['active', 'archived'] as const).map((state) => this.window.gateway.store.listSessions({ ...query, state })),
    );
    return lists.flat().slice(0, query.limit);
  }

  private async indexLeft(): Promise<number> {
    try {
      return (await this.window.history.store.statistics()).dirtyRows;
    } catch (error) {
      // Only an extra number: the results are right without it.
      this.window.log.warn(`How much is not indexed yet could not be read: ${describeError(error).sentence}`);
      return 0;
    }
  }
}
