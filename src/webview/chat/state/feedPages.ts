import type * as code from './feedFetching';
import { batch, signal, type ReadonlySignal } from '@preact/signals';
import type { ChangedFile } from '../../../transcript/changedFile';
import { withChanges, type Conversation } from './conversation';
import { LazyComponents } from '../connection/lazyComponents';
import type { Chat } from './chat';
import type { Pages, FeedFetching } from './feedFetching';

/** Code for long conversations. */
export const lazyFetching = new LazyComponents<typeof code>();

/** Chooses the part of the conversation to render, and fetches and evicts pages for it. See README.md, "A long
 *  conversation". The code not needed at the first paint is in feedFetching.ts; nothing is
 *  fetched or evicted before these are loaded. */
export class FeedPages {
  private readonly elsewhere = signal<Conversation | null>(null);
  /** The part rendered instead of the newest messages. */
  readonly away: ReadonlySignal<Conversation | null> = this.elsewhere;
  private fetchingParts: FeedFetching | null = null;
  readonly fetching = signal<'earlier' | 'later' | 'place' | null>(null);
  /** Counts changes that make a pending response useless. */
  moves = 0;
  /** The article being read; null: the end. */
  reading: string | null = null;

  constructor(private readonly chat: Chat) {}

  get rendered(): Conversation | null {
    return this.elsewhere.peek() ?? this.chat.conversation;
  }

  /** Records that the user is at this article now, or (null) at the end. */
  reads(uid: string | null): void {
    this.reading = uid;
    if (uid === null) this.change((pages) => pages);
  }

  async loadEarlier(): Promise<void> {
    await this.fetcher(lazyFetching.peek() ?? (await lazyFetching.load())).earlier();
  }

  async loadLater(): Promise<void> {
    await this.fetcher(lazyFetching.peek() ?? (await lazyFetching.load())).later();
  }

  /** Renders the part of the conversation that contains this message. Resolves to true when it is there. */
  async goTo(uid: string): Promise<boolean> {
    return this.fetcher(lazyFetching.peek() ?? (await lazyFetching.load())).around(uid);
  }

  /** Renders the beginning of the conversation. Resolves to true when it is there. */
  async goToStart(): Promise<boolean> {
    return this.fetcher(lazyFetching.peek() ?? (await lazyFetching.load())).start();
  }

  /** Renders the newest messages again, immediately. */
  toLatest(): void {
    this.moved();
    this.elsewhere.value = null;
    this.reads(null);
  }

  /** Discards the pending fetch. */
  moved(): void {
    this.moves++;
    this.fetching.value = null;
  }

  /** Called when the host has sent the shown session again. `isSame`: it is the conversation shown before.
   *  `changed`: rows in it were hidden or restored. */
  shown(isSame: boolean, changed: boolean): void {
    const away = this.elsewhere.peek();
    if (!isSame) return this.toLatest();
    if (away === null) return this.change((pages) => pages);
    if (changed) void this.readAgain(this.reading ?? away.messages[0]?.uid ?? null);
  }

  filesChanged(turnUid: string, files: readonly ChangedFile[]): void {
    const away = this.elsewhere.peek();
    if (away?.turns.has(turnUid) === true) this.elsewhere.value = withChanges(away, turnUid, files);
  }

  /** Changes the loaded parts, and evicts what exceeds the limits. */
  change(step: (pages: Pages) => Pages): void {
    const newest = this.chat.conversation;
    const rules = lazyFetching.peek();
    if (newest === null || rules === null) return;
    const { tail, away } = rules.bounded(step({ tail: newest, away: this.elsewhere.peek() }), this.reading);
    batch(() => {
      if (tail !== newest) this.chat.dispatch({ kind: 'repaged', conversation: tail });
      this.elsewhere.value = away;
    });
  }

  private async readAgain(uid: string | null): Promise<void> {
    this.elsewhere.value = null;
    if (uid === null || !(await this.goTo(uid))) this.toLatest();
  }

  /** Not asynchronous, so that a request begins at once when its code is there. */
  private fetcher(parts: typeof code): FeedFetching {
    return (this.fetchingParts ??= new parts.FeedFetching(this, this.chat));
  }
}
