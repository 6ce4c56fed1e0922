import * as v from 'valibot';
import { computed, effect, signal } from '@preact/signals';
import {
  searchKinds,
  type OpenDestination,
  type SearchKind,
  type SearchPage,
  type SearchProgress,
  type SearchProtocol,
  type SearchSession,
} from '../protocol/searchProtocol';
import { setLocalization } from '../../../webview/localization';
import { RefusedRequest, type HostConnection, type NotificationOf, type VsCodeApi } from '../../../webview/rpc';
import type { Timers } from '../../../webview/times';
import { searchGroups } from './searchGroups';

const memorySchema = v.object({
  version: v.literal(1),
  text: v.string(),
  kind: v.picklist(searchKinds),
  /** The last focused result, and the number of loaded results. */
  active: v.nullable(v.string()),
  loaded: v.number(),
});

/** State that the screen keeps across hiding, showing and reloading. Results are searched again. */
export type SearchMemory = v.InferOutput<typeof memorySchema>;

/** Hits per request, and the maximum in one request. */
const pageSize = 50;

const largestPage = 200;

/** Milliseconds of pause in typing before a search starts. */
const typingPauseMs = 200;

/** idle: the field is empty · typing: the text is about to be searched · searching · found · stopped: the user ended
 *  a search, whose results are unknown · failed: `problem` has the reason. */
export type SearchStatus = 'idle' | 'typing' | 'searching' | 'found' | 'stopped' | 'failed';

/** Results of one search, page by page. */
export interface FoundMessages extends Omit<SearchPage, 'sessions'> {
  readonly text: string;
  readonly kind: SearchKind;
  readonly sessions: ReadonlyMap<string, SearchSession>;
}

/** State of the search screen. Results stay until those of the next search arrive; the response to an outdated
 *  search is dropped. */
export class SearchController {
  readonly ready = signal(false);
  readonly text = signal('');
  readonly kind = signal<SearchKind>('words');
  readonly status = signal<SearchStatus>('idle');
  readonly progress = signal<SearchProgress | null>(null);
  readonly problem = signal<string | null>(null);
  readonly found = signal<FoundMessages | null>(null);
  /** The result from which arrow keys continue. */
  readonly active = signal<string | null>(null);
  readonly loadingMore = signal(false);
  readonly groups = computed(() =>
    this.found.value === null ? [] : searchGroups(this.found.value.hits, this.found.value.sessions),
  );
  /** Counts how often the field was filled from elsewhere: it then takes the focus. */
  readonly asks = signal(0);
  private cancelPause: (() => void) | null = null;
  private searches = 0;

  readonly recalled: SearchMemory;

  constructor(
    private readonly host: HostConnection<SearchProtocol>,
    api: Pick<VsCodeApi, 'getState' | 'setState'>,
    readonly timers: Timers,
  ) {
    const kept = v.safeParse(memorySchema, api.getState());
    this.recalled = kept.success ? kept.output : { version: 1, text: '', kind: 'words', active: null, loaded: 0 };
    this.text.value = this.recalled.text;
    this.kind.value = this.recalled.kind;
    this.active.value = this.recalled.active;
    host.onNotification((notification) => this.notified(notification));
    effect(() => {
      const loaded = this.found.value?.hits.length ?? this.recalled.loaded;
      const { text, kind, active } = this;
      const memory: SearchMemory = { version: 1, text: text.value, kind: kind.value, active: active.value, loaded };
      api.setState(memory);
    });
  }

  start(): void {
    this.host.send('ready', {});
  }

  /** Searches when typing pauses. */
  setText(text: string): void {
    this.text.value = text;
    this.endRunning();
    if (text.trim() === '') return this.clear();
    this.status.value = 'typing';
    this.cancelPause = this.timers.after(typingPauseMs, () => void this.search());
  }

  setKind(kind: SearchKind): void {
    if (kind === this.kind.peek()) return;
    this.kind.value = kind;
    if (this.text.peek().trim() !== '') void this.search();
  }

  /** Searches again. Focuses the field, because the button disappears with the problem. */
  tryAgain(): void {
    this.takeOver(this.text.peek());
  }

  /** Searches immediately, without waiting for a pause. */
  async search(loaded = pageSize): Promise<void> {
    this.endRunning();
    const text = this.text.peek().trim();
    if (text === '') return this.clear();
    const kind = this.kind.peek();
    this.status.value = 'searching';
    const page = await this.ask(text, kind, 0, Math.min(largestPage, loaded));
    if (page === null) return;
    this.found.value = { ...page, text, kind, sessions: byConversation(page.sessions) };
    this.status.value = 'found';
    if (!page.hits.some(({ messageUid }) => messageUid === this.active.peek()))
      this.active.value = this.groups.peek()[0]?.hits[0]?.messageUid ?? null;
  }

  async more(): Promise<void> {
    const before = this.found.peek();
    if (before === null || !before.hasMore || this.status.peek() !== 'found') return;
    this.loadingMore.value = true;
    const page = await this.ask(before.text, before.kind, before.hits.length, pageSize).finally(
      () => (this.loadingMore.value = false),
    );
    if (page === null) return;
    const known = new Set(before.hits.map(({ messageUid }) => messageUid));
    const hits = [...before.hits, ...page.hits.filter(({ messageUid }) => !known.has(messageUid))];
    this.found.value = {
      ...before,
      hits,
      hasMore: page.hasMore,
      sessions: new Map([...before.sessions, ...byConversation(page.sessions)]),
    };
  }

  /** Stops the running search; earlier results stay. */
  stop(): void {
    if (this.status.peek() !== 'searching') return;
    this.endRunning();
    this.status.value = 'stopped';
  }

  async open(sessionId: string, messageUid: string | null, place: OpenDestination): Promise<void> {
    try {
      await this.host.request('open', { sessionId, messageUid, place });
      this.problem.value = null;
    } catch (error) {
      this.refused(error);
    }
  }

  private notified(notification: NotificationOf<SearchProtocol>): void {
    switch (notification.name) {
      case 'bootstrap': {
        const { asked, problem, localization } = notification.payload;
        setLocalization(localization);
        this.ready.value = true;
        this.problem.value = problem;
        if (asked !== null) this.takeOver(asked);
        else if (problem === null) void this.search(Math.max(pageSize, this.recalled.loaded));
        break;
      }
      case 'ask':
        this.takeOver(notification.payload.text);
        break;
      case 'progress':
        if (notification.payload.search === this.searches) this.progress.value = notification.payload.progress;
        break;
    }
  }

  private takeOver(text: string): void {
    this.text.value = text;
    this.asks.value++;
    void this.search();
  }

  /** Null when the response is outdated or there is none. */
  private async ask(text: string, kind: SearchKind, offset: number, limit: number): Promise<SearchPage | null> {
    const search = ++this.searches;
    try {
      const answer = await this.host.request('search', { search, text, kind, offset, limit });
      if (search !== this.searches || answer === null) return null;
      this.problem.value = null;
      return answer;
    } catch (error) {
      if (search !== this.searches) return null;
      this.refused(error);
      if (offset === 0) this.status.value = 'failed';
      return null;
    } finally {
      if (search === this.searches) this.progress.value = null;
    }
  }

  private refused(error: unknown): void {
    if (!(error instanceof RefusedRequest)) throw error;
    this.problem.value = error.message;
  }

  private endRunning(): void {
    this.cancelPause?.();
    this.cancelPause = null;
    this.progress.value = null;
    if (this.status.peek() === 'searching' || this.loadingMore.peek())
      this.host.send('cancel', { search: this.searches });
    this.searches++;
  }

  private clear(): void {
    this.status.value = 'idle';
    this.found.value = null;
    this.active.value = null;
  }
}

function byConversation(sessions: readonly SearchSession[]): ReadonlyMap<string, SearchSession> {
  return new Map(sessions.map((session) => [session.conversationId, session]));
}
