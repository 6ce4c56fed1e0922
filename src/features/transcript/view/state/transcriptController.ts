import * as v from 'valibot';
import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import {
  rowStates,
  type FileAction,
  type RowFilter,
  type RowsWanted,
  type TranscriptBranch,
  type TranscriptProtocol,
  type TranscriptRows,
  type TranscriptState,
} from '../../protocol/transcriptProtocol';
import type { Message } from '../../../../transcript/message';
import type { Session } from '../../../../transcript/session';
import { RefusedRequest, type HostConnection, type NotificationOf, type VsCodeApi } from '../../../../webview/rpc';
import { setLocalization } from '../../../../webview/localization';
import { codeActionsOf } from '../../../../webview/markdown/markdownActions';
import type { MarkdownActions } from '../../../../webview/markdown/Markdown';
import { arrivalIn } from './branchRows';
import { RowActions } from './rowActions';
import { SessionVerifier } from './sessionVerifier';
import { evict, readAgain, withEarlier, withLater } from './rowWindow';
import { TranscriptFind } from './transcriptFind';
import { transcriptEntries, type TranscriptEntry, type TranscriptRow } from './transcriptRows';

const memorySchema = v.object({
  version: v.literal(1),
  /** Used by the host to find the session again after a window reload. */
  sessionId: v.string(),
  raw: v.boolean(),
  showHidden: v.boolean(),
  role: v.nullable(v.picklist(['user', 'assistant', 'tool'])),
  state: v.optional(v.nullable(v.picklist(rowStates)), null),
  /** Row at the top of the view and its distance from there, in pixels; null: at the end. */
  anchor: v.nullable(v.object({ uid: v.string(), offset: v.number() })),
  /** True when the branches are shown; null: shown when there are some and there is room. */
  branches: v.optional(v.nullable(v.boolean()), null),
  /** Pixels. */
  branchesWidth: v.optional(v.number(), 230),
});
/** What the page remembers when it is hidden or the window reloads. */
export type TranscriptMemory = v.InferOutput<typeof memorySchema>;

/** Number of rows per request. */
const pageSize = 200;
/** Milliseconds for which a revealed row stays marked. */
const markMs = 1600;
export const everything: RowFilter = { role: null, state: null, hidden: false };

/** State of the transcript tab: stored rows as read from disk, and nothing else. The loaded rows are consecutive
 *  among those that pass the filter; of a long session they are a window. */
export class TranscriptController {
  readonly session = signal<Session | null>(null);
  readonly stored = signal<TranscriptRows | null>(null);
  readonly branches = signal<readonly TranscriptBranch[]>([]);
  readonly problem = signal<string | null>(null);
  /** Where the shown rows are from. Null: the host has not said anything yet. */
  readonly origin = signal<Pick<TranscriptState, 'otherFolder' | 'file' | 'readAt'> | null>(null);
  /** False for a session that can only be read here. */
  readonly isOfThisHistory = computed(() => this.origin.value?.otherFolder === null && this.origin.value.file === null);
  readonly loading = signal(false);
  readonly raw = signal(false);
  readonly filter = signal<RowFilter>(everything);
  /** Null: shown when there are branches and room for them. */
  readonly branchesShown = signal<boolean | null>(null);
  readonly branchesWidth = signal(230);
  /** Scroll position when the tab was last seen; null: at the end. */
  readonly anchor = signal<TranscriptMemory['anchor']>(null);
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
  private changedMeanwhile = false;
  private reading: Promise<void> | null = null;

  constructor(
    readonly host: HostConnection<TranscriptProtocol>,
    api: Pick<VsCodeApi, 'getState' | 'setState'>,
    readonly nowMs: () => number = Date.now,
  ) {
    const kept = v.safeParse(memorySchema, api.getState());
    const recalled = kept.success ? kept.output : null;
    if (recalled !== null) {
      this.raw.value = recalled.raw;
      this.filter.value = { role: recalled.role, state: recalled.state, hidden: recalled.showHidden };
      this.branchesShown.value = recalled.branches;
      this.branchesWidth.value = recalled.branchesWidth;
      this.anchor.value = recalled.anchor;
    }
    effect(() => {
      const sessionId = this.session.value?.id ?? recalled?.sessionId;
      if (sessionId !== undefined) api.setState(this.memory(sessionId));
    });
    this.entries = computed(
      () =>
        (this.lastEntries = this.stored.value === null ? [] : transcriptEntries(this.stored.value, this.lastEntries)),
    );
    this.rows = computed(() => this.entries.value.flatMap((entry) => (entry.kind === 'row' ? [entry.row] : [])));
    this.markdown = {
      openLink: (href) => host.send('openLink', { href }),
      copy: (text) => host.send('copy', { text }),
      ...codeActionsOf(host),
    };
    this.actions = new RowActions(this);
    this.find = new TranscriptFind(this);
    this.verifier = new SessionVerifier(this);
    host.onNotification((notification) => this.notified(notification));
  }

  /** Requests everything, also again after it could not be read. */
  start(): void {
    this.host.send('ready', { filter: this.filter.peek(), around: this.anchor.peek()?.uid ?? null });
  }

  fileAction(action: FileAction): void {
    this.host.send('fileAction', { action });
  }

  /** Reads the file again, and shows the rows around the current one. */
  reloadFile(): void {
    this.fileAction('reload');
    this.start();
  }

  goToBranch(conversationId: string): void {
    const branches = this.branches.peek();
    const here = branches.find((branch) => branch.conversationId === this.session.peek()?.conversationId);
    const target = branches.find((branch) => branch.conversationId === conversationId);
    if (target === undefined || target === here) return;
    this.host.send('goTo', { sessionId: target.tipId, messageUid: arrivalIn(target, here) });
  }

  /** Sets the filter and reads the rows around the current one again. */
  async setFilter(change: Partial<RowFilter>): Promise<void> {
    this.filter.value = { ...this.filter.peek(), ...change };
    const at = this.actions.selection.peek().current ?? this.anchor.peek()?.uid;
    await this.loadAround(at === undefined ? { kind: 'end' } : { kind: 'around', messageUid: at });
    this.find.again();
  }

  resizeBranches(width: number): void {
    this.branchesWidth.value = Math.round(Math.min(480, Math.max(140, width)));
  }

  loadEarlier(): Promise<void> {
    return this.loadMore('before');
  }

  loadLater(): Promise<void> {
    return this.loadMore('after');
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
      this.filter.value = { ...everything, hidden: true };
      await around();
      if (stored() === undefined) this.filter.value = before;
    }
    if (stored() === undefined) return;
    this.revealed.value = { uid, focus };
    this.marked.value = uid;
    setTimeout(() => {
      if (this.marked.peek() === uid) this.marked.value = null;
    }, markMs);
  }

  /** Goes to the first or the last row. */
  async goTo(kind: 'start' | 'end'): Promise<void> {
    await this.loadAround({ kind });
    const uid = this.rows.peek().at(kind === 'start' ? 0 : -1)?.message.uid;
    if (uid !== undefined) this.revealed.value = { uid, focus: true };
  }

  /** Resolves to null when the host refused; the reason is then shown. */
  async asked<T>(request: Promise<T>): Promise<T | null> {
    try {
      return await request;
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      this.problem.value = error.message;
      return null;
    }
  }

  private notified(notification: NotificationOf<TranscriptProtocol>): void {
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
        break;
      case 'branches':
        this.branches.value = notification.payload;
        break;
      case 'findProgress':
        this.find.progressed(notification.payload);
        break;
      case 'verifyAsked':
        void this.verifier.run();
        break;
      case 'verifyProgress':
        this.verifier.progressed(notification.payload);
        break;
    }
  }

  private bootstrapped({ session, rows, branches, problem, reveal, localization, ...origin }: TranscriptState): void {
    setLocalization(localization);
    const before = this.session.peek()?.conversationId ?? null;
    if (before !== null && before !== session?.conversationId) {
      // Another session: reset all state of the previous one.
      this.anchor.value = null;
      this.revealed.value = null;
      this.actions.startOver();
      this.find.type('');
    }
    this.origin.value = origin;
    this.session.value = session;
    this.stored.value = rows;
    this.branches.value = branches;
    this.problem.value = problem;
    if (reveal !== null) void this.reveal(reveal);
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
    return this.host.request('loadRows', { sessionId, wanted, limit, filter: this.filter.peek() });
  }

  private async loadMore(kind: 'before' | 'after'): Promise<void> {
    const stored = this.stored.peek();
    const position = stored?.messages.at(kind === 'before' ? 0 : -1)?.position;
    if (stored === null || position === undefined || stored[kind === 'before' ? 'earlier' : 'later'] === 0) return;
    await this.load(async (sessionId) => {
      const page = await this.ask(sessionId, { kind, position });
      const join = kind === 'before' ? withEarlier : withLater;
      this.put(sessionId, join(this.stored.peek() ?? stored, page));
    });
  }

  private loadAround(wanted: RowsWanted): Promise<void> {
    return this.loadAfterwards(async (sessionId) => this.put(sessionId, await this.ask(sessionId, wanted)));
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
      if (await this.asked(read().then(() => true))) this.problem.value = null;
    } finally {
      this.loading.value = false;
      this.reading = null;
    }
    if (this.changedMeanwhile) await this.reload();
  }

  private memory(sessionId: string): TranscriptMemory {
    const { role, state, hidden } = this.filter.value;
    return {
      version: 1,
      sessionId,
      raw: this.raw.value,
      showHidden: hidden,
      role,
      state,
      anchor: this.anchor.value,
      branches: this.branchesShown.value,
      branchesWidth: this.branchesWidth.value,
    };
  }
}
