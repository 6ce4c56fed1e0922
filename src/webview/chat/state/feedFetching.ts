import type { FeedPage } from '../../../protocol/feedProtocol';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { Conversation } from './conversation';
import { bounded, placedAt, withEarlier, withLater, type Pages } from './conversationPages';
import type { Chat } from './chat';

export { bounded };

/** Maximum rows per request. */
const pageSize = 60;

/** The rendered part of a conversation, as fetching changes it; see feedPages.ts. */
interface FetchedPages {
  readonly rendered: Conversation | null;
  readonly away: ReadonlySignal<Conversation | null>;
  readonly fetching: Signal<'earlier' | 'later' | 'place' | null>;
  readonly moves: number;
  reading: string | null;
  change(step: (pages: Pages) => Pages): void;
  moved(): void;
}

/** Fetches parts of the conversation for the feed: the next page at an edge, or another position. Loaded after the
 *  first paint. */
export class FeedFetching {
  constructor(
    private readonly pages: FetchedPages,
    private readonly chat: Chat,
  ) {}

  async earlier(): Promise<void> {
    const { rendered } = this.pages;
    const before = rendered?.messages[0]?.row?.position;
    if (rendered === null || before === undefined || !rendered.hasEarlier) return;
    await this.fetch('earlier', async (isCurrent) => {
      const page = await this.chat.host.request('loadEarlier', {
        sessionId: rendered.session.id,
        before,
        limit: pageSize,
      });
      if (isCurrent()) this.pages.change((pages) => withEarlier(pages, page, this.chat.timers.nowMs()));
    });
  }

  async later(): Promise<void> {
    const rendered = this.pages.away.peek();
    const after = rendered?.messages.at(-1)?.row?.position;
    if (rendered === null || after === undefined) return;
    await this.fetch('later', async (isCurrent) => {
      const page = await this.chat.host.request('loadLater', {
        sessionId: rendered.session.id,
        after,
        limit: pageSize,
      });
      if (isCurrent()) this.pages.change((pages) => withLater(pages, page, this.chat.timers.nowMs()));
    });
  }

  /** Resolves to true when the message is now in the rendered part. */
  async around(uid: string): Promise<boolean> {
    const isRendered = (): boolean => this.pages.rendered?.messages.some((live) => live.uid === uid) ?? false;
    if (!isRendered())
      await this.place(
        (sessionId) => this.chat.host.request('loadAround', { sessionId, messageUid: uid, limit: pageSize }),
        uid,
      );
    return isRendered();
  }

  /** Resolves to true when the beginning is now in the rendered part. */
  async start(): Promise<boolean> {
    const begins = (): boolean => this.pages.rendered?.hasEarlier === false;
    if (!begins())
      await this.place(
        (sessionId) => this.chat.host.request('loadLater', { sessionId, after: null, limit: pageSize }),
        null,
      );
    return begins();
  }

  private async place(read: (sessionId: string) => Promise<FeedPage | null>, reading: string | null): Promise<void> {
    const newest = this.chat.conversation;
    if (newest === null) return;
    this.pages.moved();
    await this.fetch('place', async (isCurrent) => {
      const page = await read(newest.session.id);
      if (page === null || !isCurrent()) return;
      this.pages.reading = reading ?? page.messages[0]?.uid ?? null;
      this.pages.change(({ tail }) => placedAt(tail, page, this.chat.timers.nowMs()));
    });
  }

  /** Runs one fetch at a time. A response that arrives when another part is shown changes nothing. */
  private async fetch(
    what: 'earlier' | 'later' | 'place',
    read: (isCurrent: () => boolean) => Promise<void>,
  ): Promise<void> {
    const { fetching, moves } = this.pages;
    if (fetching.peek() !== null) return;
    const conversationId = this.chat.conversation?.session.conversationId;
    const isCurrent = (): boolean =>
      moves === this.pages.moves && conversationId === this.chat.conversation?.session.conversationId;
    fetching.value = what;
    await this.chat.ask(() => read(isCurrent));
    if (moves === this.pages.moves) fetching.value = null;
  }
}
