import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
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
import { codeHandlers } from '../../../host/webviews/codeHandlers';
import { describeError } from '../../../host/common/describeError';
import { originalRow } from '../../../host/chat/find/feedHandlers';
import type { CopiedSessions } from '../../../host/library/transcripts';
import type { WindowContext } from '../../../host/window/windowContext';
import { TranscriptReader } from './transcriptReader';
import { rawRow, revisionsWithDiffs, rowsAs } from './storedRowText';
import { ViewEndpoint, type WebviewPort } from '../../../host/webviews/viewEndpoint';
import { TabVerification } from './tabVerification';

const firstRows = 200;
/** Milliseconds between two reads of a tab while a turn of its session runs. */
const liveRefreshMs = 1000;
/** Debounce in milliseconds, so that simultaneous changes of the branch tree are read together. */
const branchesPauseMs = 100;

/** A tab for sessions of the window's own history. */
export interface OwnTab {
  /** Called with the current session, so that the tab's title follows it. */
  readonly onSession: (session: Session) => void;
  /** True when another tab already shows this session; that tab is then revealed. */
  readonly isElsewhere: (sessionId: string, messageUid: string | null) => boolean;
}

/** A tab that shows the stored rows of one session, or of another one when the user follows a branch. Read-only. */
export class TranscriptSurface implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly endpoint: ViewEndpoint<
    typeof transcriptCommands,
    typeof transcriptRequests,
    TranscriptResults,
    TranscriptNotifications
  >;
  private readonly sessions: Omit<SessionStore, 'close'>;
  private readonly reader: TranscriptReader;
  private readonly verifying: TabVerification;
  /** Null: the tab shows the window's own history. */
  private readonly copied: CopiedSessions | null;
  /** When the tab was opened, in seconds since the epoch. */
  private readonly openedAt: number;
  /** Filter that the page last reported. */
  private filter: RowFilter = { role: null, state: null, hidden: false };
  private ready = false;
  private branches = '';
  private cancelRefresh: (() => void) | null = null;
  private cancelBranches: (() => void) | null = null;

  /** `shown`: newest known segment of the session; updated as the session continues. */
  constructor(
    private shown: string,
    private revealed: string | null,
    port: WebviewPort,
    private readonly window: WindowContext,
    private readonly tab: OwnTab | CopiedSessions,
  ) {
    const { gateway, history, clock } = window;
    this.copied = 'sessions' in tab ? tab : null;
    this.openedAt = clock.now();
    this.sessions = this.copied?.sessions ?? history.store;
    this.reader = new TranscriptReader(this.sessions);
    this.verifying = new TabVerification(window, this.copied, {
      asked: () => this.endpoint.notify('verifyAsked', {}),
      progress: (progress) => this.endpoint.notify('verifyProgress', progress),
    });
    this.endpoint = this.lifetime.register(this.connect(port));
    // Nothing runs in a copy, and nothing changes it.
    if (this.copied !== null) return;
    this.lifetime.register(
      gateway.surfaces.onDidChangeSessions((sessionIds) => {
        this.reader.outlines.forget();
        if (sessionIds.includes(this.shown)) this.changed();
        this.branchesChanged();
      }),
    );
    this.lifetime.register(
      gateway.turns.onDidChangeRunning(() => {
        this.reader.outlines.forget();
        this.changed();
      }),
    );
    this.lifetime.register(
      history.status.onDidChange(() => {
        if (!history.status.hasJustOpened) return;
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
    this.reader.cancelFind();
  }

  dispose(): void {
    this.cancelRefresh?.();
    this.cancelBranches?.();
    this.reader.cancelFind();
    this.verifying.pageUnloaded();
    this.lifetime.dispose();
  }

  private connect(
    port: WebviewPort,
  ): ViewEndpoint<typeof transcriptCommands, typeof transcriptRequests, TranscriptResults, TranscriptNotifications> {
    const { sessions, copied } = this;
    const { editor, opener, log } = this.window;
    const code = codeHandlers(this.window.code, copied === null);
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
          ...code.commands,
          cancelVerify: () => this.verifying.stop(),
          copyShown: ({ messageUid }) => this.verifying.copyShown(messageUid),
          ready: ({ filter, around }) => {
            this.filter = filter;
            // After a failed read, start over.
            this.reader.outlines.forget();
            return this.bootstrap(around);
          },
          openInChat: ({ messageUid }) =>
            copied === null
              ? opener.open(this.shown, messageUid, 'chat')
              : (copied.folder ?? this.refuse()).openHere(this.shown),
          branchFrom: ({ messageUid }) => this.inChat('branchFromHere', messageUid),
          rewindTo: ({ messageUid }) => this.inChat('rewindToHere', messageUid),
          exportSession: () =>
            copied === null
              ? editor.runFeatureCommand('exportSession', { sessionId: this.shown })
              : (copied.folder ?? this.refuse()).export(this.shown),
          fileAction: ({ action }) => copied?.file?.act(action),
          goTo: ({ sessionId, messageUid }) => this.goTo(sessionId, messageUid),
          copy: ({ text }) => editor.copy(text),
          copyRows: ({ sessionId, uids, filter, form }) => this.copyRows(sessionId, uids, filter, form),
          cancelFind: ({ search }) => this.reader.cancelFind(search),
          showLog: () => void vscode.commands.executeCommand('hermes.showLog'),
          openLink: ({ href }) => editor.openLink(href),
        },
        requests: {
          ...code.requests,
          verify: ({ sessionId }) => this.verifying.verify(sessionId),
          loadRows: ({ sessionId, wanted, limit, filter }) => {
            this.filter = filter;
            return this.reader.rows(sessionId, wanted, limit, filter);
          },
          findRows: (query) =>
            this.reader.find(query, (done, total) =>
              this.endpoint.notify('findProgress', { search: query.search, done, total }),
            ),
          revisions: ({ messageUid }) => revisionsWithDiffs(sessions, messageUid),
          rawRow: ({ messageUid }) => rawRow(sessions, messageUid),
        },
      },
      log,
    );
  }

  private async inChat(command: string, messageUid: string): Promise<void> {
    if (this.copied !== null) this.refuse();
    await vscode.commands.executeCommand(`hermes.${command}`, { sessionId: this.shown, messageUid });
  }

  private refuse(): never {
    throw new GatewayError(
      'invalid',
      t('This session belongs to {folder}. Copy it to this folder first.', { folder: this.copied?.place ?? '' }),
    );
  }

  private async goTo(sessionId: string, messageUid: string | null): Promise<void> {
    if ('isElsewhere' in this.tab && this.tab.isElsewhere(sessionId, messageUid)) return;
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
    const { editor, clock } = this.window;
    const session = await this.sessions.getSession(sessionId);
    const outline = await this.reader.outlines.of(sessionId);
    const wanted =
      uids === null
        ? outline.passing(filter).map(({ uid }) => uid)
        : uids.toSorted((a, b) => (outline.numbers.get(a) ?? 0) - (outline.numbers.get(b) ?? 0));
    if (session !== null)
      await editor.copy(
        await rowsAs(form, this.sessions, session, wanted, { t, language: vscode.env.language, now: clock.now() }),
      );
  }

  /** `around`: row to show when no other is requested. */
  private async bootstrap(around: string | null): Promise<void> {
    const { history, localization } = this.window;
    if (this.copied === null) await history.status.settled();
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
    const { folder, file } = this.copied ?? {};
    const { sessions = null, readAt = folder === undefined ? null : this.openedAt } = file?.state() ?? {};
    this.endpoint.notify('bootstrap', {
      ...state,
      localization,
      otherFolder: folder?.path ?? null,
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
    const file = this.copied?.file;
    if (file !== undefined) this.shown = await file.sessionToShow(this.shown);
    const session = await this.readSession();
    if (session === null)
      return {
        session,
        rows: null,
        branches: [],
        problem: t('Session {session} is not in this folder’s history.', { session: this.shown }),
        reveal: null,
      };
    const row = this.revealed === null ? null : await originalRow(this.sessions, this.revealed);
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
    const { sessions } = this;
    const named = this.shown;
    if ((await sessions.getSession(named)) === null) return null;
    const tip = await sessions.conversationTip(named);
    if (named !== this.shown) return null;
    this.shown = tip;
    const session = await sessions.getSession(tip);
    if (session !== null) this.tab.onSession(session);
    return session;
  }

  /** Reads the branch tree. A failure returns no branches: the rows are useful without them. */
  private async readBranches(): Promise<readonly TranscriptBranch[]> {
    return this.reader.branches(this.shown).catch((error: unknown) => {
      this.window.log.warn(`The branches of a session could not be read: ${describeError(error).sentence}`);
      return [];
    });
  }

  private async notifyReveal(messageUid: string): Promise<void> {
    const row = await originalRow(this.sessions, messageUid);
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
    this.cancelBranches ??= this.window.clock.after(branchesPauseMs, () => {
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
      this.copied !== null ||
      this.lifetime.isDisposed ||
      this.cancelRefresh !== null ||
      !this.window.gateway.turns.running().some((turn) => turn.sessionId === this.shown)
    )
      return;
    this.cancelRefresh = this.window.clock.after(liveRefreshMs, () => {
      this.cancelRefresh = null;
      this.reader.outlines.forgetEnd();
      this.changed();
    });
  }

  private inBackground(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.window.log.warn(`The transcript could not follow its session: ${describeError(error).sentence}`),
    );
  }
}
