import { DisposableStore, toDisposable, type Disposable } from '../base/disposable';
import type { Log } from '../base/log';
import type { Gateway, Surface, SwitchReason } from '../gateway/gateway';
import { chatCommands, chatRequests, type ChatNotifications, type ChatResults, type ChatState, type ShownSession } from '../protocol/chatProtocol';
import type { SessionStore } from '../store/sessionStore';
import type { SessionEvent, TurnEvent } from '../transcript/turnEvent';
import { chatHandlers, type ChatEditor } from './chatHandlers';
import type { ChatModels } from './chatModels';
import { errorWords } from './errorWords';
import { RecentSessions } from './recentSessions';
import type { StoreDesk } from './storeDesk';
import { ViewEndpoint, type WebviewPort } from './viewEndpoint';

/** Messages of a session that a view is given at once; earlier ones are loaded when the person scrolls to them. */
export const pageSize = 60;

export interface ChatBridgeNeeds {
  readonly gateway: Gateway;
  readonly sessions: Pick<SessionStore, 'getSession' | 'getMessage' | 'getMeta' | 'setMeta'>;
  readonly store: StoreDesk;
  readonly models: ChatModels;
  readonly editor: ChatEditor;
  readonly surroundings: () => Pick<ChatState, 'restricted' | 'folderName' | 'demoPrompts' | 'localization'>;
  /** The model or session that is shown has changed. */
  readonly onChange: () => void;
  readonly log: Log;
}

/** Ties one surface of the gateway to whatever webview shows it at the moment. The surface outlives its webviews: a view that is hidden,
 *  moved or reloaded is drawn again from the store. Between reading a snapshot and sending it, events are held and sent after it, so that
 *  none is lost; a view ignores what its snapshot already contains. */
export class ChatBridge implements Surface, Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly recent: RecentSessions;
  private endpoint: ViewEndpoint<typeof chatCommands, typeof chatRequests, ChatResults, ChatNotifications> | null = null;
  /** away: no view listens · drawing: a snapshot is being read · live: events go straight through. */
  private phase: 'away' | 'drawing' | 'live' = 'away';
  private held: (() => void)[] = [];
  private drawings = 0;
  /** The next drawing must carry everything, not only the session. */
  private bootstrapDue = false;
  private focusDue = false;
  private shownModel: string | null = null;
  private restored = false;
  private attachment: Disposable;

  constructor(
    readonly id: string,
    private readonly needs: ChatBridgeNeeds,
  ) {
    const { gateway, store, models } = needs;
    this.recent = new RecentSessions(gateway, needs.log, (sessions) => this.tell('recentSessions', sessions));
    this.attachment = gateway.attach(this);
    this.lifetime.register(toDisposable(() => this.attachment.dispose()));
    this.lifetime.register(store.onDidChange(() => this.storeChanged()));
    this.lifetime.register(models.onDidChange(() => this.modelsChanged()));
    this.storeChanged();
  }

  get shownSession(): string | null {
    return this.needs.gateway.shownSession(this.id);
  }

  /** A webview begins to show this surface. The returned disposable ends it; a later connection takes the place of an earlier one. */
  connect(port: WebviewPort): Disposable {
    this.disconnect();
    this.needs.store.begin();
    const handlers = chatHandlers({ ...this.needs, surfaceId: this.id, onReady: () => this.draw('bootstrap'), onModelChosen: (sessionId) => this.modelChosen(sessionId) });
    const endpoint = new ViewEndpoint<typeof chatCommands, typeof chatRequests, ChatResults, ChatNotifications>(
      port,
      { commands: chatCommands, requests: chatRequests },
      handlers,
      this.needs.log,
    );
    this.endpoint = endpoint;
    return toDisposable(() => {
      if (this.endpoint === endpoint) this.disconnect();
      else endpoint.dispose();
    });
  }

  /** The page in the webview is gone (hidden views are unloaded); it says `ready` when it is back. */
  pageUnloaded(): void {
    this.phase = 'away';
    this.held = [];
    this.drawings++;
  }

  focusComposer(): void {
    this.focusDue = true;
    this.whenLive();
  }

  insertPrompt(text: string): void {
    this.tell('insertPrompt', { text });
  }

  /** The window goes to another folder: what is shown belongs to the one it leaves. What was shown there last is shown again once it is open. */
  leaveStore(): void {
    this.attachment.dispose();
    this.attachment = this.needs.gateway.attach(this);
    this.shownModel = null;
    this.restored = false;
  }

  /** Something around the session changed, say the open folders: everything is drawn again. */
  redraw(): void {
    if (this.phase !== 'away') this.background(this.draw('bootstrap'));
  }

  trustChanged(): void {
    this.tell('trust', { restricted: this.needs.surroundings().restricted });
  }

  onTurnEvent(sessionId: string, event: TurnEvent): void {
    this.tell('turnEvent', { sessionId, event });
  }

  onSessionEvent(event: SessionEvent): void {
    if (event.kind === 'queueChanged') {
      if (event.sessionId === this.shownSession) this.tell('queueChanged', { sessionId: event.sessionId, queue: event.queue });
      return;
    }
    if (event.kind === 'compressing') {
      if (event.sessionId === this.shownSession) this.tell('compressing', { sessionId: event.sessionId, activity: event.activity });
      return;
    }
    this.recent.refresh();
    const shown = this.shownSession;
    if (shown !== null && event.sessionIds.includes(shown)) this.background(this.tellTitle(shown));
  }

  onSessionSwitched(sessionId: string | null, _reason: SwitchReason): void {
    this.restored = true;
    this.background(this.needs.sessions.setMeta(this.shownKey, sessionId ?? ''));
    if (this.phase !== 'away') this.background(this.draw('shown'));
  }

  dispose(): void {
    this.disconnect();
    this.recent.dispose();
    this.lifetime.dispose();
  }

  private get shownKey(): string {
    return `shown:${this.id}`;
  }

  private disconnect(): void {
    this.endpoint?.dispose();
    this.endpoint = null;
    this.pageUnloaded();
  }

  private async draw(what: 'bootstrap' | 'shown'): Promise<void> {
    const drawing = ++this.drawings;
    this.bootstrapDue ||= what === 'bootstrap';
    this.phase = 'drawing';
    this.held = [];
    const shown = await this.readShown();
    const state = this.bootstrapDue ? await this.readState(shown) : null;
    // A newer drawing, or the page's end, has taken over; it sends everything that this one would have.
    if (drawing !== this.drawings || this.endpoint === null) return;
    this.shownModel = shown?.session.model ?? null;
    if (state === null) this.endpoint.notify('shown', shown);
    else this.endpoint.notify('bootstrap', { ...state, model: this.modelState });
    if (state === null) this.endpoint.notify('model', this.modelState);
    this.bootstrapDue = false;
    this.phase = 'live';
    if (this.modelState.chosen === null) this.background(this.needs.models.discover());
    this.needs.onChange();
    const held = this.held;
    this.held = [];
    for (const send of held) send();
    this.whenLive();
  }

  private async readShown(): Promise<ShownSession | null> {
    const sessionId = this.shownSession;
    if (sessionId === null || !this.needs.store.isReadable) return null;
    try {
      const { session, page, queue, draft, openTurn, activity } = await this.needs.gateway.snapshot(sessionId, pageSize);
      return { session, messages: page.messages, turns: page.turns, hasEarlier: page.hasEarlier, queue, draft, openTurn, activity };
    } catch (error) {
      this.needs.log.error(`Session ${sessionId} could not be read`, error);
      this.needs.store.setNotices('shown session', [{ sentence: errorWords(error).sentence, actions: [] }]);
      return null;
    }
  }

  private async readState(shown: ShownSession | null): Promise<ChatState> {
    const { gateway, store, models, log } = this.needs;
    const orNothing = async <T>(read: () => Promise<T>, nothing: T): Promise<T> => {
      if (!store.isReadable) return nothing;
      return read().catch((error: unknown) => {
        log.warn(`The chat was drawn without part of its state: ${errorWords(error).sentence}`);
        return nothing;
      });
    };
    return {
      shown,
      newDraft: await orNothing(() => gateway.draft('new'), ''),
      recentSessions: await orNothing(() => this.recent.read(), []),
      model: this.modelState,
      setup: models.setup,
      store: store.shown,
      ...this.needs.surroundings(),
    };
  }

  /** The model that answers what is shown. */
  get modelState(): ChatState['model'] {
    return this.needs.models.stateOf(this.shownModel);
  }

  private tell<K extends keyof ChatNotifications & string>(name: K, payload: ChatNotifications[K]): void {
    if (this.phase === 'live') this.endpoint?.notify(name, payload);
    else if (this.phase === 'drawing') this.held.push(() => this.endpoint?.notify(name, payload));
  }

  private whenLive(): void {
    if (this.phase !== 'live' || !this.focusDue) return;
    this.focusDue = false;
    this.tell('focusComposer', {});
  }

  private storeChanged(): void {
    const { store } = this.needs;
    if (store.isReadable && !this.restored) {
      this.restored = true;
      this.background(this.restore());
      return;
    }
    if (store.hasJustOpened && this.phase !== 'away') this.background(this.draw('bootstrap'));
    else this.tell('store', store.shown);
  }

  /** Shows the session that this surface showed when the window was last open. */
  private async restore(): Promise<void> {
    const { gateway, sessions } = this.needs;
    const remembered = this.shownSession === null ? await sessions.getMeta(this.shownKey) : null;
    if (remembered !== null && remembered !== '' && this.shownSession === null && (await sessions.getSession(remembered)) !== null) {
      await gateway.switchSession(this.id, { reason: 'resume', sessionId: remembered });
    }
    if (this.phase !== 'away') await this.draw('bootstrap');
  }

  private modelsChanged(): void {
    this.tellModel();
    this.tell('setup', this.needs.models.setup);
  }

  private async modelChosen(sessionId: string | null): Promise<void> {
    if (sessionId !== null && sessionId === this.shownSession) this.shownModel = (await this.needs.sessions.getSession(sessionId))?.model ?? null;
    this.tellModel();
  }

  private tellModel(): void {
    this.tell('model', this.modelState);
    this.needs.onChange();
  }

  private async tellTitle(sessionId: string): Promise<void> {
    const session = await this.needs.sessions.getSession(sessionId);
    if (session === null || sessionId !== this.shownSession) return;
    this.tell('sessionRenamed', { sessionId, title: session.title });
    if (session.model !== this.shownModel) {
      this.shownModel = session.model;
      this.tellModel();
    }
  }

  private background(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.needs.log.warn(`The chat could not follow: ${errorWords(error).sentence}`));
  }
}
