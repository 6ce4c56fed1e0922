import { signal } from '@preact/signals';
import type { TranscriptNotifications } from '../../../protocol/transcriptProtocol';
import { RefusedRequest } from '../../rpc';
import { nextHit } from './find';
import type { TranscriptController } from './transcriptController';

/** A pause in typing after which it is looked for, in ms. */
const typingPauseMs = 200;
/** In a longer session what was found is not looked for anew each time a row changes, only when a person goes on. */
const smallSession = 3000;

/** Text looked for in every stored row that passes the filter, loaded or not. The host reads; the row gone to is loaded when it is needed. */
export class TranscriptFind {
  readonly text = signal('');
  readonly matchCase = signal(false);
  /** Rows that hold the text, in order; null while nothing was found yet, or nothing is looked for. */
  readonly hits = signal<readonly string[] | null>(null);
  readonly current = signal<string | null>(null);
  /** How far it has come; null while nothing is being read. */
  readonly progress = signal<{ readonly done: number; readonly total: number } | null>(null);
  private search = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isStale = false;

  constructor(
    private readonly transcript: Pick<
      TranscriptController,
      'needs' | 'session' | 'filter' | 'stored' | 'reveal' | 'problem'
    >,
  ) {}

  type(text: string): void {
    this.text.value = text;
    this.current.value = null;
    this.look(typingPauseMs);
  }

  setMatchCase(on: boolean): void {
    this.matchCase.value = on;
    this.current.value = null;
    this.look(0);
  }

  /** To the next row that holds the text, or the one before. */
  async go(step: 1 | -1): Promise<void> {
    if (this.text.peek() === '') return;
    if (this.hits.peek() === null || this.isStale) await this.run();
    const uid = nextHit(this.hits.peek() ?? [], this.current.peek(), step);
    if (uid === null) return;
    this.current.value = uid;
    await this.transcript.reveal(uid, false);
  }

  /** The filter changed. */
  again(): void {
    if (this.text.peek() !== '') this.look(0);
  }

  /** Rows changed on disk. */
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

  private look(pauseMs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.stop();
    this.hits.value = null;
    if (this.text.peek() === '') return;
    this.timer = setTimeout(() => void this.run(), pauseMs);
  }

  private stop(): void {
    if (this.progress.peek() !== null) this.transcript.needs.host.send('cancelFind', { search: this.search });
    this.progress.value = null;
    this.search++;
  }

  /** `quietly`: what was found before stays until it is known anew. */
  private async run(quietly = false): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const sessionId = this.transcript.session.peek()?.id;
    const text = this.text.peek();
    if (sessionId === undefined || text === '') return;
    const search = ++this.search;
    if (!quietly) this.progress.value = { done: 0, total: this.transcript.stored.peek()?.total ?? 0 };
    try {
      const found = await this.transcript.needs.host.request('findRows', {
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
