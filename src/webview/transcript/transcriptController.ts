import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { TranscriptNotifications, TranscriptResults, TranscriptRows, transcriptCommands, transcriptRequests } from '../../protocol/transcriptProtocol';
import type { Session } from '../../protocol/transcriptWords';
import { RefusedRequest, type HostConnection, type NotificationOf } from '../rpc';
import type { MarkdownActions } from '../markdown/Markdown';
import type { TranscriptMemory } from './transcriptMemory';
import { transcriptRows, withEarlier, type TranscriptFilter } from './transcriptRows';

export interface TranscriptViewProtocol {
  readonly commands: typeof transcriptCommands;
  readonly requests: typeof transcriptRequests;
  readonly results: TranscriptResults;
  readonly notifications: TranscriptNotifications;
}

export interface TranscriptNeeds {
  readonly host: HostConnection<TranscriptViewProtocol>;
  readonly recalled: TranscriptMemory | null;
  readonly keep: (memory: TranscriptMemory) => void;
  readonly nowMs: () => number;
  readonly setLocalization: (strings: Readonly<Record<string, string>>) => void;
}

/** Rows fetched at a time. */
const pageSize = 200;

/** What the transcript tab shows: stored rows as they are read from disk, never anything of its own. */
export class TranscriptController {
  readonly ready = signal(false);
  readonly session = signal<Session | null>(null);
  readonly stored = signal<TranscriptRows | null>(null);
  readonly problem = signal<string | null>(null);
  readonly loading = signal(false);
  readonly raw = signal(false);
  readonly filter = signal<TranscriptFilter>({ role: null, showHidden: false });
  /** The row to bring into sight, once it is there. */
  readonly revealed = signal<string | null>(null);
  readonly rows = computed(() => (this.stored.value === null ? [] : transcriptRows(this.stored.value, this.filter.value)));
  private anchor: TranscriptMemory['anchor'];
  private changedMeanwhile = false;
  private reading: Promise<void> | null = null;

  constructor(readonly needs: TranscriptNeeds) {
    const { recalled } = needs;
    this.anchor = recalled?.anchor ?? null;
    if (recalled !== null) {
      this.raw.value = recalled.raw;
      this.filter.value = { role: recalled.role, showHidden: recalled.showHidden };
    }
    needs.host.onNotification((notification) => this.told(notification));
  }

  readonly markdown: MarkdownActions = {
    openLink: (href) => this.needs.host.send('openLink', { href }),
    copy: (text) => this.needs.host.send('copy', { text }),
  };

  /** Where the person was when the tab was last seen; null: nowhere in particular. */
  get place(): TranscriptMemory['anchor'] {
    return this.anchor;
  }

  get hasEarlier(): ReadonlySignal<boolean> {
    return this.earlier;
  }

  private readonly earlier = computed(() => this.stored.value?.hasEarlier ?? false);

  start(): void {
    this.needs.host.send('ready', {});
  }

  openInChat(): void {
    this.needs.host.send('openInChat', {});
  }

  setRaw(raw: boolean): void {
    this.raw.value = raw;
    this.keep();
  }

  setFilter(change: Partial<TranscriptFilter>): void {
    this.filter.value = { ...this.filter.peek(), ...change };
    this.keep();
  }

  rememberPlace(anchor: TranscriptMemory['anchor']): void {
    this.anchor = anchor;
    this.keep();
  }

  async loadEarlier(): Promise<void> {
    const stored = this.stored.peek();
    const before = stored?.messages[0]?.position;
    if (stored === null || before === undefined || !stored.hasEarlier) return;
    await this.load(async (sessionId) => {
      const page = await this.needs.host.request('loadRows', { sessionId, before, limit: pageSize });
      this.stored.value = withEarlier(this.stored.peek() ?? stored, page);
    });
  }

  /** Everything there is, for a search that must not miss a row. */
  async loadAll(): Promise<void> {
    while (this.earlier.peek() && this.problem.peek() === null) await this.loadEarlier();
  }

  private told(notification: NotificationOf<TranscriptViewProtocol>): void {
    switch (notification.name) {
      case 'bootstrap': {
        const { session, rows, problem, reveal, localization } = notification.payload;
        this.needs.setLocalization(localization);
        this.ready.value = true;
        this.session.value = session;
        this.stored.value = rows;
        this.problem.value = problem;
        if (reveal !== null) void this.reveal(reveal);
        this.keep();
        break;
      }
      case 'changed':
        if (notification.payload.sessionId === this.session.peek()?.id) void this.reload();
        break;
      case 'reveal':
        void this.reveal(notification.payload.messageUid);
        break;
    }
  }

  private async reload(): Promise<void> {
    this.changedMeanwhile = this.loading.peek();
    if (this.changedMeanwhile) return;
    const limit = Math.max(pageSize, this.stored.peek()?.messages.length ?? 0);
    await this.load(async (sessionId) => {
      this.stored.value = await this.needs.host.request('loadRows', { sessionId, before: null, limit });
    });
  }

  private async reveal(uid: string): Promise<void> {
    const has = (): boolean => this.stored.peek()?.messages.some((message) => message.uid === uid) ?? false;
    while (!has() && this.earlier.peek() && this.problem.peek() === null) await this.loadEarlier();
    const hidden = this.stored.peek()?.messages.find((message) => message.uid === uid)?.visibility.kind !== 'shown';
    this.setFilter({ role: null, showHidden: hidden || this.filter.peek().showHidden });
    this.revealed.value = uid;
  }

  /** One reading at a time; asked for during another, it only waits for that one. */
  private load(read: (sessionId: string) => Promise<void>): Promise<void> {
    const sessionId = this.session.peek()?.id;
    if (sessionId === undefined) return Promise.resolve();
    this.reading ??= this.readOnce(() => read(sessionId));
    return this.reading;
  }

  private async readOnce(read: () => Promise<void>): Promise<void> {
    this.loading.value = true;
    try {
      await read();
      this.problem.value = null;
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      this.problem.value = error.message;
    } finally {
      this.loading.value = false;
      this.reading = null;
    }
    if (this.changedMeanwhile) await this.reload();
  }

  private keep(): void {
    const sessionId = this.session.peek()?.id ?? this.needs.recalled?.sessionId;
    if (sessionId === undefined) return;
    const { role, showHidden } = this.filter.peek();
    this.needs.keep({ version: 1, sessionId, raw: this.raw.peek(), showHidden, role, anchor: this.anchor });
  }
}
