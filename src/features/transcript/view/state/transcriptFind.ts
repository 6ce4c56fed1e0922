import { signal } from '@preact/signals';
import type { TranscriptNotifications } from '../../protocol/transcriptProtocol';
import { RefusedRequest } from '../../../../webview/rpc';
import { nextHit } from './find';
import type { ShownTranscript } from './shownTranscript';

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

  constructor(
    private readonly transcript: Pick<ShownTranscript, 'deps' | 'session' | 'filter' | 'stored' | 'reveal' | 'problem'>,
  ) {}

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

  startOver(): void {
    this.type('');
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
    if (this.progress.peek() !== null) this.transcript.deps.host.send('cancelFind', { search: this.search });
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
      const found = await this.transcript.deps.host.request('findRows', {
        search,
        sessionId,
        filter: this.transcript.filter.peek(),
        text,
        matchCase: this.matchCase.peek(),
      });
      if (search !== this.search || found.kind === 'cancelled') return;
      this.isStale = false;
      this.hits.value = found.uids;
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      this.transcript.problem.value = error.message;
    } finally {
      if (search === this.search) this.progress.value = null;
    }
  }
}
