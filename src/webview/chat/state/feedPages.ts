import { batch, signal, type ReadonlySignal } from '@preact/signals';
import type { ChatResults } from '../../../protocol/chatProtocol';
import type { FeedPage } from '../../../protocol/feedProtocol';
import type { ChangedFile } from '../../../protocol/transcriptTypes';
import { withChanges, type Conversation } from './conversation';
import { loadLater, laterParts } from '../components/common/laterParts';
import type { Pages } from './conversationPages';
import type { FeedFetching } from './feedFetching';
import type { HostRequests } from '../connection/hostRequests';

export interface FeedPagesNeeds {
  readonly requests: HostRequests;
  readonly newest: () => Conversation | null;
  /** Replaces what the view has of the newest messages. */
  readonly replace: (newest: Conversation) => void;
  readonly loadEarlier: (sessionId: string, before: number, limit: number) => Promise<ChatResults['loadEarlier']>;
  readonly loadLater: (sessionId: string, after: number | null, limit: number) => Promise<FeedPage>;
  readonly loadAround: (sessionId: string, messageUid: string, limit: number) => Promise<FeedPage | null>;
  readonly nowMs: () => number;
}

/** Which part of the conversation is drawn, and what is fetched and let go of for it. See README.md, "A long conversation". What is not needed at
 *  the first paint is in feedFetching.ts and conversationPages.ts: nothing is fetched or let go of before these are there. */
export class FeedPages {
  private readonly elsewhere = signal<Conversation | null>(null);
  private fetchingParts: FeedFetching | null = null;
  readonly fetching = signal<'earlier' | 'later' | 'place' | null>(null);
  /** Counts what makes an answer that is still to come useless. */
  moves = 0;
  /** The article that is read; null: the end. */
  reading: string | null = null;

  constructor(private readonly needs: FeedPagesNeeds) {}

  /** What is drawn instead of the newest messages. */
  get away(): ReadonlySignal<Conversation | null> {
    return this.elsewhere;
  }

  get drawn(): Conversation | null {
    return this.elsewhere.peek() ?? this.needs.newest();
  }

  /** The person is at this article now, or (null) at the end. */
  reads(uid: string | null): void {
    this.reading = uid;
    if (uid === null) this.change((pages) => pages);
  }

  async loadEarlier(): Promise<void> {
    await (this.fetcher ?? (await this.loaded())).earlier();
  }

  async loadLater(): Promise<void> {
    await (this.fetcher ?? (await this.loaded())).later();
  }

  /** Draws the part of the conversation in which this message stands. Whether it is drawn now. */
  async goTo(uid: string): Promise<boolean> {
    return (this.fetcher ?? (await this.loaded())).around(uid);
  }

  /** Draws the beginning of the conversation. Whether it is drawn now. */
  async goToStart(): Promise<boolean> {
    return (this.fetcher ?? (await this.loaded())).start();
  }

  /** The newest messages are drawn again, at once. */
  toLatest(): void {
    this.moved();
    this.elsewhere.value = null;
    this.reads(null);
  }

  /** What is being fetched is of no use any more. */
  moved(): void {
    this.moves++;
    this.fetching.value = null;
  }

  /** The host has said anew what is shown. `isSame`: the conversation that was shown before. `changed`: rows were hidden or brought back in it. */
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

  /** Changes what there is of the conversation, and lets go of what is too much. */
  change(step: (pages: Pages) => Pages): void {
    const newest = this.needs.newest();
    const rules = laterParts.peek();
    if (newest === null || rules === null) return;
    const { tail, away } = rules.bounded(step({ tail: newest, away: this.elsewhere.peek() }), this.reading);
    batch(() => {
      if (tail !== newest) this.needs.replace(tail);
      this.elsewhere.value = away;
    });
  }

  private async readAgain(uid: string | null): Promise<void> {
    this.elsewhere.value = null;
    if (uid === null || !(await this.goTo(uid))) this.toLatest();
  }

  private get fetcher(): FeedFetching | null {
    const parts = laterParts.peek();
    return parts === null ? null : (this.fetchingParts ??= new parts.FeedFetching(this, this.needs));
  }

  private async loaded(): Promise<FeedFetching> {
    await loadLater();
    if (this.fetcher === null) throw new Error('The second part of the program is not there.');
    return this.fetcher;
  }
}
