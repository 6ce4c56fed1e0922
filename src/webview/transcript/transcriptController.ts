import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type {
  RowRevision, RowsWanted, TranscriptBranch, TranscriptNotifications, TranscriptResults, TranscriptRows, TranscriptState, transcriptCommands, transcriptRequests,
} from '../../protocol/transcriptProtocol';
import type { Message, Session } from '../../protocol/transcriptWords';
import { RefusedRequest, type HostConnection, type NotificationOf } from '../rpc';
import type { MarkdownActions } from '../markdown/Markdown';
import { arrivalIn } from './branchTree';
import type { TranscriptMemory } from './transcriptMemory';
import { transcriptRows, withEarlier, withLater, type TranscriptFilter } from './transcriptRows';

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

/** What the transcript tab shows: stored rows as they are read from disk, never anything of its own. The rows that are loaded follow each other
 *  without a gap; they need not reach to the end. */
export class TranscriptController {
  readonly ready = signal(false);
  readonly session = signal<Session | null>(null);
  readonly stored = signal<TranscriptRows | null>(null);
  readonly branches = signal<readonly TranscriptBranch[]>([]);
  readonly problem = signal<string | null>(null);
  /** The folder that the session belongs to, where it is not this window's. */
  readonly otherFolder = signal<string | null>(null);
  readonly loading = signal(false);
  readonly raw = signal(false);
  readonly filter = signal<TranscriptFilter>({ role: null, showHidden: false });
  /** Null: shown where there are branches and room for them. */
  readonly branchesShown = signal<boolean | null>(null);
  /** The row to bring into sight, once it is there. */
  readonly revealed = signal<string | null>(null);
  /** The row that actions and arrow keys go from. */
  readonly selected = signal<string | null>(null);
  /** What rows said before they were rewritten, as far as a person asked for it. */
  readonly revisions = signal<ReadonlyMap<string, readonly RowRevision[]>>(new Map());
  readonly rows = computed(() => (this.stored.value === null ? [] : transcriptRows(this.stored.value, this.filter.value)));
  readonly hasEarlier: ReadonlySignal<boolean> = computed(() => this.stored.value?.hasEarlier ?? false);
  readonly hasLater: ReadonlySignal<boolean> = computed(() => (this.stored.value?.later ?? 0) > 0);
  readonly selectedMessage: ReadonlySignal<Message | null> = computed(() => this.stored.value?.messages.find(({ uid }) => uid === this.selected.value) ?? null);
  private anchor: TranscriptMemory['anchor'];
  private changedMeanwhile = false;
  private reading: Promise<void> | null = null;

  constructor(readonly needs: TranscriptNeeds) {
    const { recalled } = needs;
    this.anchor = recalled?.anchor ?? null;
    if (recalled !== null) {
      this.raw.value = recalled.raw;
      this.filter.value = { role: recalled.role, showHidden: recalled.showHidden };
      this.branchesShown.value = recalled.branches;
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

  start(): void {
    this.needs.host.send('ready', {});
  }

  /** At the selected row, where one is selected that the chat shows. */
  openInChat(): void {
    const selected = this.selectedMessage.peek();
    this.needs.host.send('openInChat', { messageUid: selected?.visibility.kind === 'shown' ? selected.uid : null });
  }

  branchFromSelected(): void {
    const selected = this.selectedMessage.peek();
    if (selected !== null) this.needs.host.send('branchFrom', { messageUid: selected.uid });
  }

  rewindToSelected(): void {
    const selected = this.selectedMessage.peek();
    if (selected !== null) this.needs.host.send('rewindTo', { messageUid: selected.uid });
  }

  exportSession(): void {
    this.needs.host.send('exportSession', {});
  }

  goToBranch(conversationId: string): void {
    const branches = this.branches.peek();
    const here = branches.find((branch) => branch.conversationId === this.session.peek()?.conversationId);
    const target = branches.find((branch) => branch.conversationId === conversationId);
    if (target === undefined || target === here) return;
    this.needs.host.send('goTo', { sessionId: target.tipId, messageUid: arrivalIn(target, here) });
  }

  setRaw(raw: boolean): void {
    this.raw.value = raw;
    this.keep();
  }

  setFilter(change: Partial<TranscriptFilter>): void {
    this.filter.value = { ...this.filter.peek(), ...change };
    this.keep();
  }

  showBranches(shown: boolean): void {
    this.branchesShown.value = shown;
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
      const page = await this.ask(sessionId, { kind: 'before', position: before });
      this.put(sessionId, withEarlier(this.stored.peek() ?? stored, page));
    });
  }

  async loadLater(): Promise<void> {
    const stored = this.stored.peek();
    const after = stored?.messages.at(-1)?.position;
    if (stored === null || after === undefined || stored.later === 0) return;
    await this.load(async (sessionId) => {
      const page = await this.ask(sessionId, { kind: 'after', position: after });
      this.put(sessionId, withLater(this.stored.peek() ?? stored, page));
    });
  }

  /** Everything there is, for a search that must not miss a row. */
  async loadAll(): Promise<void> {
    while (this.hasEarlier.peek() && this.problem.peek() === null) await this.loadEarlier();
    while (this.hasLater.peek() && this.problem.peek() === null) await this.loadLater();
  }

  async goToEnd(): Promise<void> {
    await this.load(async (sessionId) => this.put(sessionId, await this.ask(sessionId, { kind: 'end' })));
    this.revealed.value = this.rows.peek().at(-1)?.message.uid ?? null;
  }

  async showRevisions(messageUid: string): Promise<void> {
    await this.load(async () => {
      const revisions = await this.needs.host.request('revisions', { messageUid });
      this.revisions.value = new Map([...this.revisions.peek(), [messageUid, revisions]]);
    });
  }

  private told(notification: NotificationOf<TranscriptViewProtocol>): void {
    switch (notification.name) {
      case 'bootstrap':
        this.bootstrapped(notification.payload);
        break;
      case 'changed':
        if (notification.payload.sessionId === this.session.peek()?.id) void this.reload();
        break;
      case 'reveal':
        void this.reveal(notification.payload.messageUid);
        break;
      case 'session':
        if (notification.payload.conversationId === this.session.peek()?.conversationId) this.session.value = notification.payload;
        this.keep();
        break;
      case 'branches':
        this.branches.value = notification.payload;
        break;
    }
  }

  private bootstrapped({ session, rows, branches, problem, reveal, otherFolder, localization }: TranscriptState): void {
    this.needs.setLocalization(localization);
    const before = this.session.peek()?.conversationId ?? null;
    if (before !== null && before !== session?.conversationId) this.startOver();
    this.ready.value = true;
    this.session.value = session;
    this.stored.value = rows;
    this.branches.value = branches;
    this.problem.value = problem;
    this.otherFolder.value = otherFolder;
    if (reveal !== null) void this.reveal(reveal);
    this.keep();
  }

  /** Another session: nothing of the one before goes with it. */
  private startOver(): void {
    this.anchor = null;
    this.selected.value = null;
    this.revealed.value = null;
    this.revisions.value = new Map();
  }

  /** What is loaded, read again; with what has come behind it where it reaches to the end. */
  private async reload(): Promise<void> {
    this.changedMeanwhile = this.loading.peek();
    if (this.changedMeanwhile) return;
    const stored = this.stored.peek();
    const first = stored?.messages[0];
    const position = stored?.hasEarlier === true && first !== undefined ? first.position - 1 : Number.MIN_SAFE_INTEGER;
    const limit = (stored?.messages.length ?? 0) + (stored === null || stored.later === 0 ? pageSize : 0);
    await this.load(async (sessionId) => this.put(sessionId, await this.ask(sessionId, { kind: 'after', position }, limit)));
  }

  private async reveal(uid: string): Promise<void> {
    const stored = (): Message | undefined => this.stored.peek()?.messages.find((message) => message.uid === uid);
    while (this.reading !== null) await this.reading;
    if (stored() === undefined) {
      await this.load(async (sessionId) => {
        const page = await this.ask(sessionId, { kind: 'around', messageUid: uid });
        if (page.messages.some((message) => message.uid === uid)) this.put(sessionId, page);
      });
    }
    const message = stored();
    if (message === undefined) return;
    this.setFilter({ role: null, showHidden: message.visibility.kind !== 'shown' || this.filter.peek().showHidden });
    this.revealed.value = uid;
  }

  private ask(sessionId: string, wanted: RowsWanted, limit = pageSize): Promise<TranscriptRows> {
    return this.needs.host.request('loadRows', { sessionId, wanted, limit });
  }

  /** The tab may have gone on to another session while these were read. */
  private put(sessionId: string, rows: TranscriptRows): void {
    if (this.session.peek()?.id === sessionId) this.stored.value = rows;
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
    this.needs.keep({ version: 1, sessionId, raw: this.raw.peek(), showHidden, role, anchor: this.anchor, branches: this.branchesShown.peek() });
  }
}
