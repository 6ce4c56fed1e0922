import type { Clock } from '../../../base/clock';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import { type Translate, t } from '../../../base/translate';
import type { Surface } from '../../../gateway/gateway';
import {
  transcriptCommands,
  transcriptRequests,
  type RowFilter,
  type RowForm,
  type TranscriptBranch,
  type TranscriptNotifications,
  type TranscriptResults,
} from '../protocol/transcriptProtocol';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { Session } from '../../../transcript/session';
import type { SessionEvent } from '../../../transcript/turnEvent';
import { codeHandlers, type CodeActions } from '../../../host/webviews/codeHandlers';
import { describeError } from '../../../host/common/describeError';
import { originalRow } from '../../../host/chat/find/feedHandlers';
import type { TranscriptFile } from '../../../host/library/transcripts';
import { TranscriptReader, type ReaderStore } from './transcriptReader';
import type { StoreStatus } from '../../../host/storage/storeStatus';
import { rawRow, revisionsWithDiffs, rowsAs } from './storedRowText';
import { TranscriptFinder } from './transcriptFinder';
import { ViewEndpoint, type WebviewPort } from '../../../host/webviews/viewEndpoint';
import { TabVerification, type TranscriptVerification } from './verifyService';

const firstRows = 200;
/** Milliseconds between two reads of a tab while a turn of its session runs. */
const liveRefreshMs = 1000;
/** Debounce in milliseconds, so that simultaneous changes of the branch tree are read together. */
const branchesPauseMs = 100;

export interface TranscriptSurfaceDeps {
  readonly gateway: GatewayPart<'surfaces', 'attach'> & GatewayPart<'turns', 'onDidChangeRunning' | 'running'>;
  readonly sessions: ReaderStore &
    Pick<SessionStore, 'conversationTip' | 'revisionsOf' | 'storedRow' | 'findInTranscript'>;
  readonly store: Pick<StoreStatus, 'settled' | 'onDidChange' | 'hasJustOpened'>;
  /** Folder of the session, if it is not this window's. Such a session can only be read and imported. */
  readonly otherFolder?: string;
  /** Time of the copy from which another folder's session is read, in seconds since the epoch. */
  readonly readAt?: number;
  /** The file that the tab shows. Default: none, the tab shows a session of a history. */
  readonly file?: TranscriptFile;
  readonly labelContext: { readonly t: Translate; readonly language: string };
  readonly clock: Clock;
  readonly localization: Readonly<Record<string, string>>;
  readonly editor: {
    openInChat(sessionId: string, messageUid: string | null): Promise<void>;
    branchFrom(sessionId: string, messageUid: string): Promise<void>;
    rewindTo(sessionId: string, messageUid: string): Promise<void>;
    exportSession(sessionId: string): Promise<void>;
    copy(text: string): Promise<void>;
    openLink(href: string): Promise<void>;
    showLog(): void;
  };
  readonly code: CodeActions;
  readonly verification: TranscriptVerification;
  /** Called with the current session, so that the tab's title follows it. */
  readonly onSession: (session: Session) => void;
  /** True when another tab already shows this session; that tab is then revealed. */
  readonly isElsewhere: (sessionId: string, messageUid: string | null) => boolean;
  readonly log: Log;
}

/** A tab that shows the stored rows of one session, or of another one when the user follows a branch. Read-only: as
 *  a surface it shows no session; it only listens for changes. */
export class TranscriptSurface implements Surface, Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly endpoint: ViewEndpoint<
    typeof transcriptCommands,
    typeof transcriptRequests,
    TranscriptResults,
    TranscriptNotifications
  >;
  private readonly reader: TranscriptReader;
  private readonly finder: TranscriptFinder;
  private readonly verifying: TabVerification;
  /** Filter that the page last reported. */
  private filter: RowFilter = { role: null, state: null, hidden: false };
  private ready = false;
  private branches = '';
  private cancelRefresh: (() => void) | null = null;
  private cancelBranches: (() => void) | null = null;

  /** `shown`: newest known segment of the session; updated as the session continues. */
  constructor(
    readonly id: string,
    private shown: string,
    private revealed: string | null,
    port: WebviewPort,
    private readonly deps: TranscriptSurfaceDeps,
  ) {
    this.reader = new TranscriptReader(deps.sessions);
    this.finder = new TranscriptFinder(deps.sessions, this.reader.outlines, (search, done, total) =>
      this.endpoint.notify('findProgress', { search, done, total }),
    );
    this.verifying = new TabVerification(deps.verification, {
      asked: () => this.endpoint.notify('verifyAsked', {}),
      progress: (progress) => this.endpoint.notify('verifyProgress', progress),
    });
    this.endpoint = this.lifetime.register(this.connect(port));
    this.lifetime.register(deps.gateway.surfaces.attach(this));
    this.lifetime.register(
      deps.gateway.turns.onDidChangeRunning(() => {
        this.reader.outlines.forget();
        this.changed();
      }),
    );
    this.lifetime.register(
      deps.store.onDidChange(() => {
        if (!deps.store.hasJustOpened) return;
        this.reader.outlines.forget();
        if (this.ready) void this.bootstrap(null);
      }),
    );
  }

  get sessionId(): string {
    return this.shown;
  }

  reveal(messageUid: string): void {
    if (this.ready) this.inBackground(this.notifyReveal(messageUid));
    else this.revealed = messageUid;
  }

  /** Moves the tab to another session. */
  async show(sessionId: string): Promise<void> {
    await this.goTo(sessionId, null);
  }

  /** Verifies the session in this tab, once its page is loaded. */
  verify(): void {
    this.verifying.ask();
  }

  /** Called when the page is unloaded. It sends `ready` when it is back. */
  pageUnloaded(): void {
    this.verifying.pageUnloaded();
    this.ready = false;
    this.finder.cancelAll();
  }

  onTurnEvent(): void {
    // Nothing to do: turn events concern only the session that a surface shows, and this one shows none. Rows are read
    // from the store.
  }

  onSessionSwitched(): void {
    // See onTurnEvent.
  }

  onSessionEvent(event: SessionEvent): void {
    if (event.kind !== 'sessionsChanged') return;
    this.reader.outlines.forget();
    if (event.sessionIds.includes(this.shown)) this.changed();
    this.branchesChanged();
  }

  dispose(): void {
    this.cancelRefresh?.();
    this.cancelBranches?.();
    this.finder.cancelAll();
    this.verifying.pageUnloaded();
    this.lifetime.dispose();
  }

  private connect(
    port: WebviewPort,
  ): ViewEndpoint<typeof transcriptCommands, typeof transcriptRequests, TranscriptResults, TranscriptNotifications> {
    const { editor, sessions } = this.deps;
    const code = codeHandlers(this.deps.code);
    return new ViewEndpoint<
      typeof transcriptCommands,
      typeof transcriptRequests,
      TranscriptResults,
      TranscriptNotifications
    >(
      port,
      { commands: transcriptCommands, requests: transcriptRequests },
      {
        commands: {
          ...this.verifying.commands,
          ...code.commands,
          ready: ({ filter, around }) => {
            this.filter = filter;
            // After a failed read, start over.
            this.reader.outlines.forget();
            return this.bootstrap(around);
          },
          openInChat: ({ messageUid }) => editor.openInChat(this.shown, messageUid),
          branchFrom: ({ messageUid }) => editor.branchFrom(this.shown, messageUid),
          rewindTo: ({ messageUid }) => editor.rewindTo(this.shown, messageUid),
          exportSession: () => editor.exportSession(this.shown),
          fileAction: ({ action }) => this.deps.file?.act(action),
          goTo: ({ sessionId, messageUid }) => this.goTo(sessionId, messageUid),
          copy: ({ text }) => editor.copy(text),
          copyRows: ({ sessionId, uids, filter, form }) => this.copyRows(sessionId, uids, filter, form),
          cancelFind: ({ search }) => this.finder.cancel(search),
          showLog: () => editor.showLog(),
          openLink: ({ href }) => editor.openLink(href),
        },
        requests: {
          ...this.verifying.requests,
          ...code.requests,
          loadRows: ({ sessionId, wanted, limit, filter }) => {
            this.filter = filter;
            return this.reader.rows(sessionId, wanted, limit, filter);
          },
          findRows: (query) => this.finder.find(query),
          revisions: ({ messageUid }) => revisionsWithDiffs(sessions, messageUid),
          rawRow: ({ messageUid }) => rawRow(sessions, messageUid),
        },
      },
      this.deps.log,
    );
  }

  private async goTo(sessionId: string, messageUid: string | null): Promise<void> {
    if (this.deps.isElsewhere(sessionId, messageUid)) return;
    this.shown = sessionId;
    this.revealed = messageUid;
    await this.bootstrap(null);
  }

  private async copyRows(
    sessionId: string,
    uids: readonly string[] | null,
    filter: RowFilter,
    form: RowForm,
  ): Promise<void> {
    const { sessions, editor, labelContext, clock } = this.deps;
    const session = await sessions.getSession(sessionId);
    const outline = await this.reader.outlines.of(sessionId);
    const wanted =
      uids === null
        ? outline.passing(filter).map(({ uid }) => uid)
        : uids.toSorted((a, b) => (outline.numbers.get(a) ?? 0) - (outline.numbers.get(b) ?? 0));
    if (session !== null)
      await editor.copy(await rowsAs(form, sessions, session, wanted, { ...labelContext, now: clock.now() }));
  }

  /** `around`: row to show when no other is requested. */
  private async bootstrap(around: string | null): Promise<void> {
    const { localization, file } = this.deps;
    await this.deps.store.settled();
    const asked = this.shown;
    const state = await this.readState(around).catch((error: unknown) => ({
      session: null,
      rows: null,
      branches: [],
      problem: describeError(error).sentence,
      reveal: null,
    }));
    // The user switched to another session in the meantime; its own read reports everything.
    if (asked !== this.shown && state.session?.id !== this.shown) return;
    this.branches = JSON.stringify(state.branches);
    const { sessions = null, readAt = this.deps.readAt ?? null } = file?.state() ?? {};
    this.endpoint.notify('bootstrap', {
      ...state,
      localization,
      otherFolder: this.deps.otherFolder ?? null,
      file: sessions === null ? null : { sessions },
      readAt,
    });
    this.revealed = null;
    this.ready = true;
    this.verifying.pageReady();
    this.keepLive();
  }

  private async readState(
    around: string | null,
  ): Promise<Omit<TranscriptNotifications['bootstrap'], 'localization' | 'otherFolder' | 'file' | 'readAt'>> {
    if (this.deps.file !== undefined) this.shown = await this.deps.file.sessionToShow(this.shown);
    const session = await this.readSession();
    if (session === null)
      return {
        session,
        rows: null,
        branches: [],
        problem: t('Session {session} is not in this folder’s history.', { session: this.shown }),
        reveal: null,
      };
    const row = this.revealed === null ? null : await originalRow(this.deps.sessions, this.revealed);
    const place = row?.uid ?? around;
    const wanted = place === null ? ({ kind: 'end' } as const) : ({ kind: 'around', messageUid: place } as const);
    const [rows, branches] = await Promise.all([
      this.reader.rows(session.id, wanted, firstRows, this.filter),
      this.readBranches(),
    ]);
    return { session, rows, branches, problem: null, reveal: row?.uid ?? null };
  }

  /** Reads the session's current state: compression may have started a new segment. */
  private async readSession(): Promise<Session | null> {
    const { sessions, onSession } = this.deps;
    const named = this.shown;
    if ((await sessions.getSession(named)) === null) return null;
    const tip = await sessions.conversationTip(named);
    if (named !== this.shown) return null;
    this.shown = tip;
    const session = await sessions.getSession(tip);
    if (session !== null) onSession(session);
    return session;
  }

  /** Reads the branch tree. A failure returns no branches: the rows are useful without them. */
  private async readBranches(): Promise<readonly TranscriptBranch[]> {
    return this.reader.branches(this.shown).catch((error: unknown) => {
      this.deps.log.warn(`The branches of a session could not be read: ${describeError(error).sentence}`);
      return [];
    });
  }

  private async notifyReveal(messageUid: string): Promise<void> {
    const row = await originalRow(this.deps.sessions, messageUid);
    if (row !== null) this.endpoint.notify('reveal', { messageUid: row.uid });
  }

  private changed(): void {
    this.inBackground(this.follow());
    this.keepLive();
  }

  private async follow(): Promise<void> {
    const session = await this.readSession();
    if (session === null || !this.ready) return;
    this.endpoint.notify('session', session);
    this.endpoint.notify('changed', { sessionId: session.id });
    this.keepLive();
  }

  private branchesChanged(): void {
    this.cancelBranches ??= this.deps.clock.after(branchesPauseMs, () => {
      this.cancelBranches = null;
      if (this.ready) this.inBackground(this.notifyBranches());
    });
  }

  private async notifyBranches(): Promise<void> {
    const branches = await this.readBranches();
    const text = JSON.stringify(branches);
    if (text === this.branches || !this.ready) return;
    this.branches = text;
    this.endpoint.notify('branches', branches);
  }

  /** Reads once per second while the session is answering: chunks are stored many times per second. */
  private keepLive(): void {
    if (
      this.lifetime.isDisposed ||
      this.cancelRefresh !== null ||
      !this.deps.gateway.turns.running().some((turn) => turn.sessionId === this.shown)
    )
      return;
    this.cancelRefresh = this.deps.clock.after(liveRefreshMs, () => {
      this.cancelRefresh = null;
      this.reader.outlines.forgetEnd();
      this.changed();
    });
  }

  private inBackground(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.deps.log.warn(`The transcript could not follow its session: ${describeError(error).sentence}`),
    );
  }
}
