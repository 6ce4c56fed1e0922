import type { Clock } from '../base/clock';
import { DisposableStore, type Disposable } from '../base/disposable';
import type { Log } from '../base/log';
import type { Gateway, Surface } from '../gateway/gateway';
import { transcriptCommands, transcriptRequests, type TranscriptNotifications, type TranscriptResults, type TranscriptRows } from '../protocol/transcriptProtocol';
import type { SessionStore } from '../store/sessionStore';
import type { Session } from '../transcript/session';
import type { SessionEvent } from '../transcript/turnEvent';
import { errorWords } from './errorWords';
import type { StoreDesk } from './storeDesk';
import { ViewEndpoint, type WebviewPort } from './viewEndpoint';

const firstRows = 200;
/** How often a tab reads again while a turn of its session runs. */
const liveRefreshMs = 1000;

export interface TranscriptNeeds {
  readonly gateway: Gateway;
  readonly sessions: Pick<SessionStore, 'getSession'>;
  readonly store: StoreDesk;
  readonly clock: Clock;
  readonly localization: Readonly<Record<string, string>>;
  readonly editor: {
    openInChat(sessionId: string): Promise<void>;
    copy(text: string): Promise<void>;
    openLink(href: string): Promise<void>;
  };
  /** The tab's title follows the session's. */
  readonly onSession: (session: Session) => void;
  readonly log: Log;
}

/** A tab that shows the stored rows of one session. It only reads: as a surface it shows no session of its own, it listens for changes. */
export class TranscriptBridge implements Surface, Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly endpoint: ViewEndpoint<typeof transcriptCommands, typeof transcriptRequests, TranscriptResults, TranscriptNotifications>;
  private ready = false;
  private cancelRefresh: (() => void) | null = null;

  constructor(
    readonly id: string,
    readonly sessionId: string,
    private revealed: string | null,
    port: WebviewPort,
    private readonly needs: TranscriptNeeds,
  ) {
    this.endpoint = this.lifetime.register(
      new ViewEndpoint<typeof transcriptCommands, typeof transcriptRequests, TranscriptResults, TranscriptNotifications>(
        port,
        { commands: transcriptCommands, requests: transcriptRequests },
        {
          commands: {
            ready: () => this.bootstrap(),
            openInChat: () => needs.editor.openInChat(sessionId),
            copy: ({ text }) => needs.editor.copy(text),
            openLink: ({ href }) => needs.editor.openLink(href),
          },
          requests: { loadRows: ({ sessionId: asked, before, limit }) => this.readRows(asked, before, limit) },
        },
        needs.log,
      ),
    );
    this.lifetime.register(needs.gateway.attach(this));
    this.lifetime.register(needs.gateway.onDidChangeRunning(() => this.changed()));
    this.lifetime.register(
      needs.store.onDidChange(() => {
        if (this.ready && needs.store.hasJustOpened) void this.bootstrap();
      }),
    );
  }

  reveal(messageUid: string): void {
    this.revealed = messageUid;
    if (this.ready) this.endpoint.notify('reveal', { messageUid });
  }

  /** The page is gone; it says `ready` when it is back. */
  pageUnloaded(): void {
    this.ready = false;
  }

  onTurnEvent(): void {
    // Only of the session a surface shows, and this one shows none: rows are read from the store.
  }

  onSessionSwitched(): void {
    // See onTurnEvent.
  }

  onSessionEvent(event: SessionEvent): void {
    if (event.kind === 'sessionsChanged' && event.sessionIds.includes(this.sessionId)) this.changed();
  }

  dispose(): void {
    this.cancelRefresh?.();
    this.lifetime.dispose();
  }

  private async bootstrap(): Promise<void> {
    const { localization } = this.needs;
    await this.needs.store.settled();
    const reveal = this.revealed;
    try {
      const session = await this.needs.sessions.getSession(this.sessionId);
      if (session !== null) this.needs.onSession(session);
      const rows = session === null ? null : await this.readRows(this.sessionId, null, firstRows);
      const problem = session === null ? `Session ${this.sessionId} is not in this folder's history.` : null;
      this.endpoint.notify('bootstrap', { session, rows, problem, reveal, localization });
    } catch (error) {
      this.endpoint.notify('bootstrap', { session: null, rows: null, problem: errorWords(error).sentence, reveal, localization });
    }
    this.ready = true;
    this.keepLive();
  }

  private async readRows(sessionId: string, before: number | null, limit: number): Promise<TranscriptRows> {
    const { messages, turns, hasEarlier, total } = await this.needs.gateway.readTranscript({
      sessionId,
      limit,
      includeHidden: true,
      ...(before === null ? {} : { before }),
    });
    return { messages, turns, hasEarlier, total };
  }

  private changed(): void {
    if (this.ready) {
      this.endpoint.notify('changed', { sessionId: this.sessionId });
      this.needs.sessions.getSession(this.sessionId).then(
        (session) => session !== null && this.needs.onSession(session),
        (error: unknown) => this.needs.log.warn(`The transcript's title could not be read: ${errorWords(error).sentence}`),
      );
    }
    this.keepLive();
  }

  /** Chunks are stored many times a second; the tab reads them once a second while its session is answering. */
  private keepLive(): void {
    if (this.cancelRefresh !== null || !this.needs.gateway.runningTurns().some((turn) => turn.sessionId === this.sessionId)) return;
    this.cancelRefresh = this.needs.clock.after(liveRefreshMs, () => {
      this.cancelRefresh = null;
      this.changed();
    });
  }
}
