import { signal } from '@preact/signals';
import type { TranscriptNotifications } from '../../protocol/transcriptProtocol';
import { nextHit } from './find';
import type { TranscriptController } from './transcriptController';

/** Milliseconds of pause in typing before a search starts. */
const typingPauseMs = 200;
/** Number of rows. In a longer session, changed rows do not repeat the search; it runs again only when the user
 *  moves to another match. */
const smallSession = 3000;

/** Searches every stored row that passes the filter, loaded or not. The host reads; the row of a match is loaded
 *  when needed. */
export class TranscriptFind {
  readonly text = signal('');
  readonly matchCase = signal(false);
  /** Rows with the text, in order; null before the first result, or without a search text. */
  readonly hits = signal<readonly string[] | null>(null);
  readonly current = signal<string | null>(null);
  /** Progress of the search; null while none runs. */
  readonly progress = signal<{ readonly done: number; readonly total: number } | null>(null);
  private search = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isStale = false;

  constructor(private readonly transcript: TranscriptController) {}

  type(text: string): void {
    this.text.value = text;
    this.current.value = null;
    this.startSearch(typingPauseMs);
  }

  setMatchCase(on: boolean): void {
    this.matchCase.value = on;
    this.current.value = null;
    this.startSearch(0);
  }

  /** Goes to the next row with the text, or to the previous one. */
  async go(step: 1 | -1): Promise<void> {
    if (this.text.peek() === '') return;
    if (this.hits.peek() === null || this.isStale) await this.run();
    const uid = nextHit(this.hits.peek() ?? [], this.current.peek(), step);
    if (uid === null) return;
    this.current.value = uid;
    await this.transcript.reveal(uid, false);
  }

  /** Called when the filter has changed. */
  again(): void {
    if (this.text.peek() !== '') this.startSearch(0);
  }

  /** Called when rows changed on disk. */
  changed(): void {
    if (this.text.peek() === '' || this.progress.peek() !== null) return;
    if ((this.transcript.stored.peek()?.total ?? 0) <= smallSession) void this.run(true);
    else this.isStale = true;
  }

  progressed({ search, done, total }: TranscriptNotifications['findProgress']): void {
    if (search === this.search && this.progress.peek() !== null) this.progress.value = { done, total };
  }

  private startSearch(pauseMs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.stop();
    this.hits.value = null;
    if (this.text.peek() === '') return;
    this.timer = setTimeout(() => void this.run(), pauseMs);
  }

  private stop(): void {
    if (this.progress.peek() !== null) this.transcript.host.send('cancelFind', { search: this.search });
    this.progress.value = null;
    this.search++;
  }

  /** `quietly`: keeps the earlier matches until the new ones arrive. */
  private async run(quietly = false): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const sessionId = this.transcript.session.peek()?.id;
    const text = this.text.peek();
    if (sessionId === undefined || text === '') return;
    const search = ++this.search;
    if (!quietly) this.progress.value = { done: 0, total: this.transcript.stored.peek()?.total ?? 0 };
    try {
      const { host, filter } = this.transcript;
      const query = { search, sessionId, filter: filter.peek(), text, matchCase: this.matchCase.peek() };
      const uids = await this.transcript.asked(host.request('findRows', query));
      if (search !== this.search || uids === null) return;
      this.isStale = false;
      this.hits.value = uids;
    } finally {
      if (search === this.search) this.progress.value = null;
    }
  }
}
