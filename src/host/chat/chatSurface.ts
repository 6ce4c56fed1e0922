import { DisposableStore, toDisposable, type Disposable, Owner } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { Surface, SwitchReason } from '../../gateway/gateway';
import {
  type BackgroundSession,
  chatCommands,
  chatRequests,
  type ChatNotifications,
  type ChatResults,
  type ChatState,
  type ShownSession,
  type OfferedPrompt,
} from '../../protocol/chatProtocol';
import type { OfferedAgent } from '../../protocol/composerProtocol';
import type { SessionStore } from '../../store/session/sessionStore';
import type { DraftPart } from '../../transcript/draftPart';
import type { SessionSummary } from '../../transcript/session';
import type { SessionEvent, TurnEvent, TurnActivity } from '../../transcript/turnEvent';
import { describeError } from '../common/describeError';
import type { SyncView } from '../common/syncView';
import { ViewEndpoint, type WebviewPort } from '../webviews/viewEndpoint';
import { chatHandlers, type ChatHandlerDeps } from './chatHandlers';
import { PageWindow, readAroundSession, readShownSession } from './chatSnapshot';
import { RecentSessions } from './recentSessions';

/** Caches the transient events of running calls, which are never stored and are emitted once. A view rendered again
 *  in the middle of a turn (after a reload or a session switch) gets them again: the running calls, the end of their
 *  output, the link to a sub-agent's session. Evicts them when the calls end. */
export class RunningCallEvents extends Owner {
  /** By turn, then by call and kind, in the order in which they began. */
  private readonly turns = new Map<string, Map<string, TurnEvent>>();

  constructor(gateway: GatewayPart<'surfaces', 'onDidTurnEvent'>) {
    super();
    this.lifetime.register(gateway.surfaces.onDidTurnEvent(({ event }) => this.onEvent(event)));
  }

  /** Events that a view needs after it renders the turn. The current `activity` comes last, so that it wins. */
  of(turnUid: string, activity: TurnActivity | null): readonly TurnEvent[] {
    const events = [...(this.turns.get(turnUid)?.values() ?? [])];
    if (events.length === 0 || activity === null) return events;
    return [...events, { kind: 'activity', turnUid, activity }];
  }

  private onEvent(event: TurnEvent): void {
    switch (event.kind) {
      case 'toolProgress':
        this.note(event.turnUid, `${event.progress.kind} ${event.callId}`, event);
        break;
      case 'activity':
        if (event.activity.kind === 'runningTool') this.note(event.turnUid, `runs ${event.activity.callId}`, event);
        break;
      case 'messageStored':
        if (event.message.role === 'tool' && event.message.turnUid !== null)
          this.ended(event.message.turnUid, event.message.parts[0].callId);
        break;
      case 'turnSettled':
        this.turns.delete(event.turn.uid);
        break;
      default:
        break;
    }
  }

  private note(turnUid: string, key: string, event: TurnEvent): void {
    const events = this.turns.get(turnUid) ?? new Map<string, TurnEvent>();
    this.turns.set(turnUid, events.set(key, event));
  }

  private ended(turnUid: string, callId: string): void {
    const events = this.turns.get(turnUid);
    for (const key of [...(events?.keys() ?? [])]) if (key.endsWith(` ${callId}`)) events?.delete(key);
  }
}

type Notify = <K extends 'focusComposer' | 'find' | 'insertPrompt' | 'reveal'>(
  name: K,
  payload: ChatNotifications[K],
) => void;

/** Actions for a page once it shows the conversation. Sends each once, always in the same order. */
class PendingViewActions {
  private isFocusDue = false;
  private isFindDue = false;
  private insertions: readonly ChatNotifications['insertPrompt'][] = [];
  private revealed: ChatNotifications['reveal'] | null = null;

  focusComposer(): void {
    this.isFocusDue = true;
  }

  find(): void {
    this.isFindDue = true;
  }

  /** Adds text and parts to the composer. */
  insertPrompt(insertion: ChatNotifications['insertPrompt']): void {
    this.insertions = [...this.insertions, insertion];
  }

  reveal(message: ChatNotifications['reveal']): void {
    this.revealed = message;
  }

  /** Called when another session is shown. */
  forgetReveal(): void {
    this.revealed = null;
  }

  sendTo(notify: Notify): void {
    const { isFocusDue, isFindDue, insertions, revealed } = this;
    this.isFocusDue = false;
    this.isFindDue = false;
    this.insertions = [];
    this.revealed = null;
    if (isFocusDue) notify('focusComposer', {});
    if (isFindDue) notify('find', {});
    for (const insertion of insertions) notify('insertPrompt', insertion);
    if (revealed !== null) notify('reveal', revealed);
  }
}

/** Sessions that answer while another one is shown, and those that finished this way and were not seen since. Leaves
 *  out sessions that were unread before: lists mark those. */
export class BackgroundSessions {
  /** Conversations that were observed answering in the background. */
  private readonly watched = new Set<string>();

  /** Finds background sessions among the newest entries of the list. `shown`: the session in view. */
  among(sessions: readonly SessionSummary[], shown: string | null): readonly BackgroundSession[] {
    return sessions.flatMap((session) => {
      const { id, conversationId, title, preview, lastTurn } = session;
      const answers = lastTurn?.state === 'running' || lastTurn?.state === 'waiting';
      if (id === shown || lastTurn === null || !(answers || (session.unread && this.watched.has(conversationId)))) {
        this.watched.delete(conversationId);
        return [];
      }
      this.watched.add(conversationId);
      return [{ sessionId: id, title: title ?? preview, state: lastTurn.state }];
    });
  }

  /** Called when the user dismisses the mark of this finished conversation. */
  dismiss(conversationId: string): void {
    this.watched.delete(conversationId);
  }
}

export interface ChatSurfaceDeps extends ChatHandlerDeps {
  readonly sessions: ChatHandlerDeps['sessions'] & Pick<SessionStore, 'conversationTip' | 'getMeta' | 'setMeta'>;
  /** Commands of the agent of another maker that answers with this model. Null: our own does. Default: null. */
  readonly agentCommands?: (model: string, sessionId: string | null) => Promise<readonly OfferedPrompt[] | null>;
  /** Custom agents for a session that this model answers. Null: an agent of another maker answers. Default: none. */
  readonly customAgents?: (model: string | null) => readonly OfferedAgent[] | null;
  /** Default: never synchronized. */
  readonly sync?: Pick<SyncView, 'current' | 'onDidChange' | 'run'>;
  readonly surroundings: () => Pick<
    ChatState,
    | 'restricted'
    | 'folderName'
    | 'isVirtual'
    | 'sandbox'
    | 'commands'
    | 'features'
    | 'demoPrompts'
    | 'localization'
    | 'promptFiles'
  >;
  /** Called when the shown model or session has changed. */
  readonly onChange: () => void;
  readonly log: Log;
}

type ChatEndpoint = ViewEndpoint<typeof chatCommands, typeof chatRequests, ChatResults, ChatNotifications>;

/** Connects one surface of the gateway to the webview that shows it at the moment. The surface outlives its
 *  webviews: a view that was hidden, moved or reloaded is rendered again from the store. Holds events between
 *  reading a snapshot and sending it, and sends them after it, so that none is lost. A view ignores events that its
 *  snapshot already contains. */
export class ChatSurface implements Surface, Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly recent: RecentSessions;
  private endpoint: ChatEndpoint | null = null;
  /** `away`: no view listens · `rendering`: a snapshot is being read · `live`: events go straight through. */
  private phase: 'away' | 'rendering' | 'live' = 'away';
  private held: (() => void)[] = [];
  private renders = 0;
  private newestRender: Promise<void> = Promise.resolve();
  /** True when the next snapshot must carry everything, not only the session. */
  private bootstrapDue = false;
  private readonly due = new PendingViewActions();
  /** Pending writes of drafts and prompts, from any page of this surface. */
  readonly writes = new PendingWrites();
  private shownModel: string | null = null;
  /** True when rows of the shown session were hidden or restored: the next snapshot replaces the rows that the view
   *  has. */
  private changed = false;
  private renderedSession: string | null = null;
  readonly pages = new PageWindow();
  private readonly background = new BackgroundSessions();
  private listed: readonly SessionSummary[] = [];
  private backgroundRows: readonly BackgroundSession[] = [];
  private restored = false;
  private isRestoring = false;
  /** Session that the next window would show first. Null: not known. */
  private remembered: string | null = null;
  private readonly calls: RunningCallEvents;
  private attachment: Disposable;
  /** True while the commands of an agent are offered. */
  private offersCommands = false;
  /** True while custom agents are offered, or one is chosen. */
  private offersAgents = false;

  constructor(
    readonly id: string,
    private readonly deps: ChatSurfaceDeps,
  ) {
    const { gateway, store, models } = deps;
    this.recent = new RecentSessions(
      gateway,
      deps.log,
      (sessions) => this.listRead(sessions),
      (reason) => store.recentUnread(reason, async () => this.recent.refresh()),
    );
    this.calls = this.lifetime.register(new RunningCallEvents(gateway));
    this.attachment = gateway.surfaces.attach(this);
    this.lifetime.register(toDisposable(() => this.attachment.dispose()));
    this.lifetime.register(store.onDidChange(() => this.storeChanged()));
    this.lifetime.register(models.onDidChange(() => this.modelsChanged()));
    this.lifetime.register(
      deps.attachments.onDidChangeCurrentFile(() => this.notify('currentFile', deps.attachments.currentFile)),
    );
    this.lifetime.register(deps.reports.onDidAsk((ask) => this.notify('deliveryRequest', ask)));
    this.lifetime.register(gateway.turns.onDidChangeRunning(() => this.recent.refresh()));
    const { sync } = deps;
    if (sync !== undefined) this.lifetime.register(sync.onDidChange(() => this.notify('sync', sync.current)));
    this.storeChanged();
  }

  get shownSession(): string | null {
    return this.deps.gateway.surfaces.shownSession(this.id);
  }

  /** True while a page is loaded: hidden pages are unloaded. */
  isVisible(): boolean {
    return this.phase !== 'away';
  }

  /** Connects a webview that begins to show this surface. A later connection replaces an earlier one. The returned
   *  disposable disconnects. */
  connect(port: WebviewPort): Disposable {
    this.disconnect();
    this.deps.store.begin();
    const endpoint: ChatEndpoint = new ViewEndpoint(
      port,
      { commands: chatCommands, requests: chatRequests },
      chatHandlers(this.deps, this),
      this.deps.log,
    );
    this.endpoint = endpoint;
    return toDisposable(() => {
      if (this.endpoint === endpoint) this.disconnect();
      else endpoint.dispose();
    });
  }

  /** Called when the page in the webview is unloaded (hidden views are). The page sends `ready` when it is back. */
  pageUnloaded(): void {
    this.phase = 'away';
    this.held = [];
    this.renders++;
    this.pages.startOver();
  }

  focusComposer(): void {
    this.due.focusComposer();
    this.whenLive();
  }

  /** Scrolls to a message of the shown session. Reads back to it if the view does not have it. */
  reveal(message: ChatNotifications['reveal']): void {
    this.due.reveal(message);
    if (this.phase !== 'away') this.inBackground(this.render('shown'));
  }

  /** Opens the find bar, once a page shows the conversation. */
  find(): void {
    this.due.find();
    this.whenLive();
  }

  insertPrompt(text: string, parts: readonly DraftPart[] = []): void {
    this.due.insertPrompt(parts.length === 0 ? { text } : { text, parts });
    this.whenLive();
  }

  /** Called when the window switches to another history: the shown session belongs to the old one. The session that
   *  was last shown in the new history is restored once that is open. */
  leaveStore(): void {
    this.attachment.dispose();
    this.attachment = this.deps.gateway.surfaces.attach(this);
    this.shownModel = null;
    this.renderedSession = null;
    this.restored = false;
    this.remembered = null;
  }

  /** Renders everything again after a change around the session, for example of the open folders. */
  renderAgain(): void {
    if (this.phase !== 'away') this.inBackground(this.render('bootstrap'));
  }

  trustChanged(): void {
    this.notify('trust', { restricted: this.deps.surroundings().restricted });
  }

  sandboxChanged(): void {
    const { sandbox } = this.deps.surroundings();
    if (sandbox !== undefined) this.notify('sandbox', sandbox);
  }

  filesChanged(change: ChatNotifications['changedFiles']): void {
    this.notify('changedFiles', change);
  }

  commandsChanged(): void {
    this.notify('commands', this.deps.surroundings().commands ?? []);
  }

  /** Called when a setting changes that provides the default mode or effort. */
  usualModeChanged(): void {
    for (const sessionId of new Set([null, this.shownSession])) this.inBackground(this.notifyMode(sessionId));
    this.inBackground(this.notifyEffort('changed'));
  }

  /** Called when prompt files, or commands of an agent, have changed. */
  promptFilesChanged(): void {
    this.notify('promptFiles', this.deps.surroundings().promptFiles);
    this.inBackground(this.notifyAgents('changed'));
    this.inBackground(this.offerPrompts(true));
  }

  /** An agent of another maker reads no prompt files of ours: its own commands are offered instead. */
  private async offerPrompts(haveChanged: boolean): Promise<void> {
    const { shownSession } = this;
    const model = this.modelState.chosen?.ref ?? null;
    const commands = model === null ? null : ((await this.deps.agentCommands?.(model, shownSession)) ?? null);
    if (shownSession !== this.shownSession || model !== (this.modelState.chosen?.ref ?? null)) return;
    if (!haveChanged && commands === null && !this.offersCommands) return;
    this.offersCommands = commands !== null;
    const prompts = this.deps.surroundings().promptFiles;
    // Prompts of servers become attachments, which any agent reads.
    const ofServers = prompts.filter(({ kind }) => kind === 'server');
    this.notify('promptFiles', commands === null ? prompts : [...commands, ...ofServers]);
  }

  onTurnEvent(sessionId: string, event: TurnEvent): void {
    this.notify('turnEvent', { sessionId, event });
  }

  onSessionEvent(event: SessionEvent): void {
    switch (event.kind) {
      case 'queueChanged':
        return this.notifyShown('queueChanged', { sessionId: event.sessionId, queue: event.queue });
      case 'compressing':
        return this.notifyShown('compressing', { sessionId: event.sessionId, activity: event.activity });
      case 'modeChanged':
        return this.notifyShown('mode', { sessionId: event.sessionId, mode: event.mode });
      case 'effortChanged':
        return this.notifyShown('effort', { sessionId: event.sessionId, effort: event.effort });
      case 'agentChanged':
        return event.sessionId === this.shownSession ? this.inBackground(this.notifyAgents('changed')) : undefined;
      default:
        return this.sessionsChanged(event.sessionIds);
    }
  }

  onSessionSwitched(sessionId: string | null, reason: SwitchReason): void {
    this.restored = true;
    this.changed = sessionId === this.renderedSession;
    if (!this.changed) this.due.forgetReveal();
    if (!this.changed && reason !== 'compression') this.pages.startOver();
    this.renderedSession = sessionId;
    this.notifyBackground();
    const rendered = this.phase === 'away' ? Promise.resolve() : this.render(this.isRestoring ? 'bootstrap' : 'shown');
    this.inBackground(rendered);
    const { attachment } = this;
    this.inBackground(
      rendered.catch(() => undefined).then(() => (attachment === this.attachment ? this.rememberShown() : undefined)),
    );
  }

  dispose(): void {
    this.disconnect();
    this.recent.dispose();
    this.lifetime.dispose();
  }

  /** Key under which the store keeps the shown session. */
  get shownKey(): string {
    return `shown:${this.id}`;
  }

  private disconnect(): void {
    this.endpoint?.dispose();
    this.endpoint = null;
    this.pageUnloaded();
  }

  private render(what: 'bootstrap' | 'shown'): Promise<void> {
    const rendered = this.renderNow(what);
    // Waiters need only its end; the caller that requested this snapshot reports its failure.
    this.newestRender = rendered.catch(() => undefined);
    return rendered;
  }

  /** Waits for the newest snapshot: a newer one replaces the one before. */
  async untilRendered(): Promise<void> {
    for (let awaited: Promise<void> | null = null; awaited !== this.newestRender;) await (awaited = this.newestRender);
  }

  private async renderNow(what: 'bootstrap' | 'shown'): Promise<void> {
    const rendering = ++this.renders;
    this.bootstrapDue ||= what === 'bootstrap';
    this.phase = 'rendering';
    this.held = [];
    // A page reloaded right after Enter must show the prompt in one place: as sent, or in the composer.
    if (this.bootstrapDue && this.deps.store.isReadable) await this.writes.done();
    const [shown, around] = await Promise.all([this.readShown(), this.bootstrapDue ? this.readState() : null]);
    // A newer snapshot or the end of the page took over. The newer one sends everything that this one would have sent.
    if (rendering !== this.renders || this.endpoint === null) return;
    this.shownModel = shown?.session.model ?? null;
    if (around === null) {
      if (shown === null) this.endpoint.notify('beginning', this.beginning);
      this.endpoint.notify('shown', shown);
      if (shown === null) this.inBackground(this.notifyMode(null));
      this.endpoint.notify('model', this.modelState);
    } else
      this.endpoint.notify('bootstrap', { ...around, shown, model: this.modelState, background: this.backgroundRows });
    this.changed = false;
    this.bootstrapDue = false;
    this.phase = 'live';
    if (this.modelState.chosen === null) this.inBackground(this.deps.models.discover());
    this.deps.onChange();
    const held = this.held.splice(0);
    if (shown !== null && shown.openTurn !== null)
      for (const event of this.calls.of(shown.openTurn.uid, shown.activity)) this.onTurnEvent(shown.session.id, event);
    for (const send of held) send();
    this.inBackground(this.notifyEffort('drawn'));
    this.inBackground(this.notifyAgents('drawn'));
    this.inBackground(this.offerPrompts(false));
    if (around !== null && this.deps.attachments.currentFile !== null)
      this.notify('currentFile', this.deps.attachments.currentFile);
    this.whenLive();
  }

  private async readShown(): Promise<ShownSession | null> {
    const sessionId = this.shownSession;
    return sessionId === null || !this.deps.store.isReadable
      ? null
      : readShownSession(
          this.deps,
          this.pages,
          sessionId,
          () => this.changed,
          () => this.render('shown'),
        );
  }

  private async readState(): Promise<Omit<ChatState, 'shown'>> {
    const { store, models } = this.deps;
    const around = await readAroundSession(this.deps, this.id, this.recent);
    this.listed = around.recentSessions;
    this.backgroundRows = this.background.among(this.listed, this.shownSession);
    return {
      ...around,
      beginning: this.beginning,
      background: this.backgroundRows,
      model: this.modelState,
      setup: models.setup,
      store: store.shown,
      sync: this.deps.sync?.current ?? null,
      ...this.deps.surroundings(),
    };
  }

  private get beginning(): ChatNotifications['beginning'] {
    return { private: this.deps.gateway.surfaces.startsPrivate(this.id) };
  }

  /** Sends the full state and marks the shown session as seen: the user now sees its changes. */
  async pageLoaded(): Promise<void> {
    this.phase = 'rendering';
    const { shownSession } = this;
    await this.render('bootstrap');
    // Mark after the snapshot: this write waits for the disk, and reads would wait in the queue after it.
    if (shownSession !== null && this.deps.store.isReadable)
      this.inBackground(this.deps.gateway.actions.setSeen(shownSession));
  }

  private listRead(sessions: readonly SessionSummary[]): void {
    this.listed = sessions;
    this.notify('recentSessions', sessions);
    this.notifyBackground();
  }

  dismissBackground(sessionId: string): void {
    const dismissed = this.listed.find(({ id }) => id === sessionId);
    if (dismissed !== undefined) this.background.dismiss(dismissed.conversationId);
    this.notifyBackground();
  }

  private notifyBackground(): void {
    const backgroundRows = this.background.among(this.listed, this.shownSession);
    if (JSON.stringify(backgroundRows) === JSON.stringify(this.backgroundRows)) return;
    this.backgroundRows = backgroundRows;
    this.notify('background', backgroundRows);
  }

  /** Model that answers the shown session. */
  get modelState(): ChatState['model'] {
    return this.deps.models.stateOf(this.shownModel ?? this.deps.gateway.customAgents.modelAt(this.id));
  }

  notify<K extends keyof ChatNotifications & string>(name: K, payload: ChatNotifications[K]): void {
    if (this.phase === 'live') this.endpoint?.notify(name, payload);
    else if (this.phase === 'rendering') this.held.push(() => this.endpoint?.notify(name, payload));
  }

  /** Notifies only about the shown session. */
  private notifyShown<K extends 'queueChanged' | 'compressing' | 'mode' | 'effort'>(
    name: K,
    payload: ChatNotifications[K],
  ): void {
    if (payload.sessionId === this.shownSession) this.notify(name, payload);
  }

  private sessionsChanged(sessionIds: readonly string[]): void {
    this.recent.refresh();
    for (const id of sessionIds) if (id === this.shownSession) this.inBackground(this.notifyTitle(id));
  }

  private whenLive(): void {
    if (this.phase === 'live') this.due.sendTo((name, payload) => this.notify(name, payload));
  }

  private storeChanged(): void {
    const { store } = this.deps;
    if (store.isReadable && !this.restored) {
      this.restored = true;
      this.inBackground(this.restore());
      return;
    }
    if (store.hasJustOpened && this.phase !== 'away') this.inBackground(this.render('bootstrap'));
    else this.notify('store', store.shown);
  }

  /** Shows the session that this surface showed when the window was last open. */
  private async restore(): Promise<void> {
    const { gateway, sessions } = this.deps;
    const remembered = this.shownSession === null ? await sessions.getMeta(this.shownKey) : null;
    this.remembered ??= remembered;
    if (
      remembered !== null &&
      remembered !== '' &&
      this.shownSession === null &&
      (await sessions.getSession(remembered)) !== null
    ) {
      this.isRestoring = true;
      await gateway.switching
        .switchSession(this.id, { reason: 'resume', sessionId: remembered })
        .finally(() => (this.isRestoring = false));
      // The switch already rendered it.
      return;
    }
    if (this.phase !== 'away') await this.render('bootstrap');
  }

  private async rememberShown(): Promise<void> {
    const shown = this.shownSession ?? '';
    if (shown === this.remembered) return;
    this.remembered = shown;
    await this.deps.sessions.setMeta(this.shownKey, shown).catch((error: unknown) => {
      this.remembered = null;
      throw error;
    });
  }

  private modelsChanged(): void {
    this.notifyModel();
    this.notify('setup', this.deps.models.setup);
  }

  private async notifyMode(sessionId: string | null): Promise<void> {
    if (this.deps.store.isReadable)
      this.notify('mode', { sessionId, mode: await this.deps.gateway.approvals.mode(this.id, sessionId) });
  }

  /** After a snapshot, a view assumes the default effort until notified otherwise. */
  private async notifyEffort(when: 'drawn' | 'changed'): Promise<void> {
    if (!this.deps.store.isReadable) return;
    const sessionId = this.shownSession;
    const effort = await this.deps.gateway.efforts.effort(this.id, sessionId);
    if (when === 'changed' || effort !== 'default') this.notify('effort', { sessionId, effort });
  }

  /** After a snapshot, a view assumes that there are no custom agents until notified otherwise. */
  private async notifyAgents(when: 'drawn' | 'changed'): Promise<void> {
    if (!this.deps.store.isReadable) return;
    const sessionId = this.shownSession;
    const { gateway, customAgents = () => [] } = this.deps;
    const offered = customAgents(this.modelState.chosen?.ref ?? null);
    const chosen = offered === null ? null : await gateway.customAgents.chosen(this.id, sessionId);
    const has = chosen !== null || (offered ?? []).length > 0;
    if (when === 'changed' || has || this.offersAgents)
      this.notify('agents', { sessionId, chosen, offered: offered ?? [] });
    this.offersAgents = has;
  }

  async modelChosen(sessionId: string | null): Promise<void> {
    if (sessionId !== null && sessionId === this.shownSession)
      this.shownModel = (await this.deps.sessions.getSession(sessionId))?.model ?? null;
    this.notifyModel();
  }

  /** Called when the effort for new sessions changed. */
  effortChanged(): Promise<void> {
    return this.notifyEffort('changed');
  }

  /** Called when the agent for new sessions changed. */
  async agentChanged(): Promise<void> {
    await this.notifyAgents('changed');
    this.notifyModel();
  }

  private notifyModel(): void {
    this.notify('model', this.modelState);
    this.inBackground(this.notifyAgents('drawn'));
    this.inBackground(this.offerPrompts(false));
    this.deps.onChange();
  }

  private async notifyTitle(sessionId: string): Promise<void> {
    const session = await this.deps.sessions.getSession(sessionId);
    if (session === null || sessionId !== this.shownSession) return;
    this.notify('sessionRenamed', { sessionId, title: session.title });
    if (session.model !== this.shownModel) {
      this.shownModel = session.model;
      this.notifyModel();
    }
  }

  private inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.deps.log.warn(`The chat could not follow: ${describeError(error).sentence}`));
  }
}

/** Pending writes, for callers that read what they write. */
class PendingWrites {
  private readonly pending = new Set<Promise<unknown>>();

  add(write: Promise<unknown>): void {
    this.pending.add(write);
    const over = (): void => void this.pending.delete(write);
    write.then(over, over);
  }

  /** Resolves when all current writes have ended, successful or not. */
  async done(): Promise<void> {
    await Promise.allSettled(this.pending);
  }
}
