import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type {
  RowFilter,
  RowsWanted,
  TranscriptBranch,
  TranscriptRows,
  TranscriptState,
} from '../../protocol/transcriptProtocol';
import type { Message } from '../../../../transcript/message';
import type { Session } from '../../../../transcript/session';
import { RefusedRequest, type NotificationOf } from '../../../../webview/rpc';
import { codeActionsOf } from '../../../../webview/markdown/markdownActions';
import type { MarkdownActions } from '../../../../webview/markdown/Markdown';
import { arrivalIn } from './branchRows';
import { RowActions } from './rowActions';
import { SessionVerifier } from './sessionVerifier';
import { evict, readAgain, withEarlier, withLater } from './rowWindow';
import { TranscriptFind } from './transcriptFind';
import type { TranscriptMemory, TranscriptDeps, TranscriptViewProtocol } from './shownTranscript';
import { transcriptEntries, type TranscriptEntry, type TranscriptRow } from './transcriptRows';

/** Number of rows per request. */
const pageSize = 200;
/** Milliseconds for which a revealed row stays marked. */
const markMs = 1600;
const everything: RowFilter = { role: null, state: null, hidden: false };

/** State of the transcript tab: stored rows as read from disk, and nothing else. The loaded rows are consecutive
 *  among those that pass the filter; of a long session they are a window. */
export class TranscriptController {
  readonly ready = signal(false);
  readonly session = signal<Session | null>(null);
  readonly stored = signal<TranscriptRows | null>(null);
  readonly branches = signal<readonly TranscriptBranch[]>([]);
  readonly problem = signal<string | null>(null);
  /** Folder of the session, if it is not this window's, and when the session was read. */
  readonly otherFolder = signal<string | null>(null);
  /** The history file that the tab shows. Null: the tab shows a session of a history. */
  readonly file = signal<TranscriptState['file']>(null);
  /** False for a session that can only be read here. */
  readonly isOfThisHistory = computed(() => this.otherFolder.value === null && this.file.value === null);
  readonly readAt = signal<number | null>(null);
  readonly loading = signal(false);
  readonly raw = signal(false);
  readonly filter = signal<RowFilter>(everything);
  /** Null: shown when there are branches and room for them. */
  readonly branchesShown = signal<boolean | null>(null);
  readonly branchesWidth = signal(230);
  /** Row to scroll into view once it is loaded; `focus`: it takes the focus. */
  readonly revealed = signal<{ readonly uid: string; readonly focus: boolean } | null>(null);
  /** The row the user was just taken to. */
  readonly marked = signal<string | null>(null);
  readonly entries: ReadonlySignal<readonly TranscriptEntry[]>;
  readonly rows: ReadonlySignal<readonly TranscriptRow[]>;
  readonly actions: RowActions;
  readonly find: TranscriptFind;
  readonly verifier: SessionVerifier;
  readonly markdown: MarkdownActions;
  private lastEntries: readonly TranscriptEntry[] = [];
  private anchor: TranscriptMemory['anchor'];
  private changedMeanwhile = false;
  private reading: Promise<void> | null = null;

  constructor(readonly deps: TranscriptDeps) {
    const { recalled } = deps;
    this.anchor = recalled?.anchor ?? null;
    if (recalled !== null) {
      this.raw.value = recalled.raw;
      this.filter.value = { role: recalled.role, state: recalled.state, hidden: recalled.showHidden };
      this.branchesShown.value = recalled.branches;
      this.branchesWidth.value = recalled.branchesWidth;
    }
    this.entries = computed(
      () =>
        (this.lastEntries = this.stored.value === null ? [] : transcriptEntries(this.stored.value, this.lastEntries)),
    );
    this.rows = computed(() => this.entries.value.flatMap((entry) => (entry.kind === 'row' ? [entry.row] : [])));
    this.markdown = {
      openLink: (href) => deps.host.send('openLink', { href }),
      copy: (text) => deps.host.send('copy', { text }),
      ...codeActionsOf(deps.host),
    };
    this.actions = new RowActions(this);
    this.find = new TranscriptFind(this);
    this.verifier = new SessionVerifier(this);
    deps.host.onNotification((notification) => this.notified(notification));
  }

  /** Scroll position when the tab was last seen; null: none saved. */
  get place(): TranscriptMemory['anchor'] {
    return this.anchor;
  }

  /** Requests everything, also again after it could not be read. */
  start(): void {
    this.deps.host.send('ready', { filter: this.filter.peek(), around: this.anchor?.uid ?? null });
  }

  showLog(): void {
    this.deps.host.send('showLog', {});
  }

  exportSession(): void {
    this.deps.host.send('exportSession', {});
  }

  importFile(): void {
    this.deps.host.send('fileAction', { action: 'import' });
  }

  chooseSession(): void {
    this.deps.host.send('fileAction', { action: 'chooseSession' });
  }

  openAsText(): void {
    this.deps.host.send('fileAction', { action: 'openAsText' });
  }

  /** Reads the file again, and shows the rows around the current one. */
  reloadFile(): void {
    this.deps.host.send('fileAction', { action: 'reload' });
    this.start();
  }

  goToBranch(conversationId: string): void {
    const branches = this.branches.peek();
    const here = branches.find((branch) => branch.conversationId === this.session.peek()?.conversationId);
    const target = branches.find((branch) => branch.conversationId === conversationId);
    if (target === undefined || target === here) return;
    this.deps.host.send('goTo', { sessionId: target.tipId, messageUid: arrivalIn(target, here) });
  }

  setRaw(raw: boolean): void {
    this.raw.value = raw;
    this.keep();
  }

  /** Sets the filter and reads the rows around the current one again. */
  async setFilter(change: Partial<RowFilter>): Promise<void> {
    this.filter.value = { ...this.filter.peek(), ...change };
    this.keep();
    const at = this.actions.selection.peek().current ?? this.anchor?.uid;
    await this.loadAfterwards(async (sessionId) =>
      this.put(
        sessionId,
        await this.ask(sessionId, at === undefined ? { kind: 'end' } : { kind: 'around', messageUid: at }),
      ),
    );
    this.find.again();
  }

  clearFilters(): Promise<void> {
    return this.setFilter(everything);
  }

  showBranches(shown: boolean): void {
    this.branchesShown.value = shown;
    this.keep();
  }

  resizeBranches(width: number): void {
    this.branchesWidth.value = Math.round(Math.min(480, Math.max(140, width)));
    this.keep();
  }

  rememberPlace(anchor: TranscriptMemory['anchor']): void {
    this.anchor = anchor;
    this.keep();
  }

  async loadEarlier(): Promise<void> {
    const stored = this.stored.peek();
    const before = stored?.messages[0]?.position;
    if (stored === null || before === undefined || stored.earlier === 0) return;
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

  goToStart(): Promise<void> {
    return this.goToEdge('start');
  }

  goToEnd(): Promise<void> {
    return this.goToEdge('end');
  }

  /** Loads the row if needed, changes the filter if it hides the row, and scrolls it into view. */
  async reveal(uid: string, focus = true): Promise<void> {
    const stored = (): Message | undefined => this.stored.peek()?.messages.find((message) => message.uid === uid);
    const around = (): Promise<void> =>
      this.loadAfterwards(async (sessionId) => {
        const page = await this.ask(sessionId, { kind: 'around', messageUid: uid });
        // A row that is not in this session leaves the reading position alone.
        if (page.messages.some((message) => message.uid === uid)) this.put(sessionId, page);
      });
    if (stored() === undefined) await around();
    if (stored() === undefined) {
      const before = this.filter.peek();
      this.filter.value = { role: null, state: null, hidden: true };
      await around();
      if (stored() === undefined) this.filter.value = before;
      this.keep();
    }
    if (stored() === undefined) return;
    this.revealed.value = { uid, focus };
    this.mark(uid);
  }

  private mark(uid: string): void {
    this.marked.value = uid;
    setTimeout(() => {
      if (this.marked.peek() === uid) this.marked.value = null;
    }, markMs);
  }

  private async goToEdge(kind: 'start' | 'end'): Promise<void> {
    await this.loadAfterwards(async (sessionId) => this.put(sessionId, await this.ask(sessionId, { kind })));
    const rows = this.rows.peek();
    const uid = (kind === 'start' ? rows[0] : rows.at(-1))?.message.uid;
    if (uid !== undefined) this.revealed.value = { uid, focus: true };
  }

  private notified(notification: NotificationOf<TranscriptViewProtocol>): void {
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
        if (notification.payload.conversationId === this.session.peek()?.conversationId)
          this.session.value = notification.payload;
        this.keep();
        break;
      case 'branches':
        this.branches.value = notification.payload;
        break;
      case 'findProgress':
        this.find.progressed(notification.payload);
        break;
      default:
      // Other classes handle the notifications about Verify.
    }
  }

  private bootstrapped({
    session,
    rows,
    branches,
    problem,
    reveal,
    otherFolder,
    file,
    readAt,
    localization,
  }: TranscriptState): void {
    this.deps.setLocalization(localization);
    const before = this.session.peek()?.conversationId ?? null;
    if (before !== null && before !== session?.conversationId) {
      // Another session: reset all state of the previous one.
      this.anchor = null;
      this.revealed.value = null;
      this.actions.startOver();
      this.find.startOver();
    }
    this.ready.value = true;
    this.session.value = session;
    this.stored.value = rows;
    this.branches.value = branches;
    this.problem.value = problem;
    this.otherFolder.value = otherFolder;
    this.file.value = file;
    this.readAt.value = readAt;
    if (reveal !== null) void this.reveal(reveal);
    this.keep();
  }

  /** Reads the loaded rows again; if they reach the end, also the rows added after them. */
  private async reload(): Promise<void> {
    this.changedMeanwhile = this.loading.peek();
    if (this.changedMeanwhile) return;
    const stored = this.stored.peek();
    const first = stored?.messages[0];
    const wanted: RowsWanted =
      stored === null || first === undefined || stored.earlier === 0
        ? { kind: 'start' }
        : { kind: 'after', position: first.position - 1 };
    const limit = (stored?.messages.length ?? 0) + (stored === null || stored.later === 0 ? pageSize : 0);
    await this.load(async (sessionId) => {
      const page = await this.ask(sessionId, wanted, Math.max(1, limit));
      const loaded = this.stored.peek();
      this.put(sessionId, evict(loaded === null ? page : readAgain(loaded, page), 'end'));
    });
    await this.actions.readAgain();
    this.find.changed();
  }

  private ask(sessionId: string, wanted: RowsWanted, limit = pageSize): Promise<TranscriptRows> {
    return this.deps.host.request('loadRows', { sessionId, wanted, limit, filter: this.filter.peek() });
  }

  /** The tab may have moved to another session during the read. */
  private put(sessionId: string, rows: TranscriptRows): void {
    if (this.session.peek()?.id === sessionId) this.stored.value = rows;
  }

  private async loadAfterwards(read: (sessionId: string) => Promise<void>): Promise<void> {
    while (this.reading !== null) await this.reading;
    await this.load(read);
  }

  /** Runs one read at a time; a request during another read only waits for that one. */
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
    const sessionId = this.session.peek()?.id ?? this.deps.recalled?.sessionId;
    if (sessionId === undefined) return;
    const { role, state, hidden } = this.filter.peek();
    this.deps.keep({
      version: 1,
      sessionId,
      raw: this.raw.peek(),
      showHidden: hidden,
      role,
      state,
      anchor: this.anchor,
      branches: this.branchesShown.peek(),
      branchesWidth: this.branchesWidth.peek(),
    });
  }
}
