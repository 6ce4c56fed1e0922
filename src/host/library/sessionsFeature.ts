import * as vscode from 'vscode';
import type { Gateway, GatewayPart } from '../../gateway/conversationGateway';
import type { Clock } from '../../base/clock';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import type { SessionStore } from '../../store/session/sessionStore';
import type { Session } from '../../transcript/session';
import type { ChatFiles } from '../webviews/chatFiles';
import { reportFailure, type CommandTable } from '../common/commands';
import { Slot } from '../common/slot';
import type { StoreStatus } from '../storage/storeStatus';
import { ChosenSessions } from './chosenSessions';
import { deleteSessions, forgetSessions, type RemovalDeps } from './removal';
import { sessionCommands } from './sessionCommands';
import { type ListName, SessionListing } from './sessionListing';
import { pickSession, type SessionPick, type SessionPickerOptions } from './sessionPicker';
import { SessionsTree, type OtherRows } from './sessionsTree';
import { TrashRetention } from './trashRetention';

interface KeyDeps {
  readonly gateway: GatewayPart<'surfaces', 'shownSession' | 'onDidChangeSessions'> &
    GatewayPart<'turns', 'running' | 'onDidChangeRunning'>;
  readonly sessions: Pick<SessionStore, 'getSession' | 'listSessions'>;
  readonly store: Pick<StoreStatus, 'shown' | 'isReadable' | 'onDidChange'>;
  readonly surfaceId: () => string;
}

/** Sets the context keys that enable commands in the manifest: `hermes.sessionShown`, `hermes.running`,
 *  `hermes.sessionPinned`, `hermes.sessionArchived` concern the session that the chat shows; `hermes.hasSessions` the
 *  history. */
class SessionKeys implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly setKeys = new Map<string, boolean>();
  private asked = 0;

  constructor(private readonly deps: KeyDeps) {
    this.lifetime.register(deps.gateway.turns.onDidChangeRunning(() => this.update()));
    this.lifetime.register(deps.gateway.surfaces.onDidChangeSessions(() => this.update()));
    this.lifetime.register(deps.store.onDidChange(() => this.updateHistory()));
    this.update();
  }

  /** Called when the shown session may have changed. */
  update(): void {
    const { gateway, sessions, surfaceId } = this.deps;
    const shown = gateway.surfaces.shownSession(surfaceId());
    this.setKey('sessionShown', shown !== null);
    this.setKey(
      'running',
      gateway.turns.running().some(({ sessionId }) => sessionId === shown),
    );
    const asked = ++this.asked;
    const setMarks = (session: { readonly pinned: boolean; readonly archived: boolean } | null): void => {
      if (asked !== this.asked || this.lifetime.isDisposed) return;
      this.setKey('sessionPinned', session?.pinned ?? false);
      this.setKey('sessionArchived', session?.archived ?? false);
    };
    if (shown === null) setMarks(null);
    // A read error of the store is reported elsewhere; the commands then stay as they were.
    else sessions.getSession(shown).then(setMarks, () => undefined);
    this.updateHistory();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** A history that cannot be read may hold sessions. */
  private updateHistory(): void {
    const { store } = this.deps;
    if (!store.isReadable) return this.setKey('hasSessions', store.shown.kind !== 'opening');
    const set = (holdsAny: boolean): void => {
      if (!this.lifetime.isDisposed) this.setKey('hasSessions', holdsAny);
    };
    this.holdsSessions().then(set, () => undefined);
  }

  private async holdsSessions(): Promise<boolean> {
    for (const state of ['active', 'archived', 'trash'] as const)
      if ((await this.deps.sessions.listSessions({ state, limit: 1 })).length > 0) return true;
    return false;
  }

  private setKey(key: string, value: boolean): void {
    if (this.setKeys.get(key) === value) return;
    this.setKeys.set(key, value);
    void vscode.commands.executeCommand('setContext', `hermes.${key}`, value);
  }
}

interface SessionsFeatureDeps {
  readonly gateway: Gateway;
  readonly sessions: SessionStore;
  readonly store: StoreStatus;
  readonly files: Pick<ChatFiles, 'from' | 'takeBack'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Imports sessions from files of other agents. */
  readonly importFiles: (files: readonly vscode.Uri[]) => void;
  /** Surface to which commands of the palette and of the sessions view apply. */
  readonly surfaceId: () => string;
  readonly focusChat: () => Promise<void>;
  readonly showChat: () => Promise<void>;
  readonly openTranscript: (sessionId: string, messageUid: string | null) => Promise<void>;
  readonly revealMessage: (sessionId: string, messageUid: string) => Promise<void>;
  /** Days that a session stays in the trash. 0: forever. */
  readonly trashDays: () => number;
  /** Name of the memory provider outside this machine that receives sessions. Null: none. */
  readonly outsideMemory: () => string | null;
  /** Erases sessions from backups and exported files. Never rejects: resolves to sentences about what is left. */
  readonly forgetCopies: (sessionIds: readonly string[]) => Promise<readonly string[]>;
}

/** Stored sessions outside the chat: the sessions view, the pickers, and their commands. */
export class SessionsFeature implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly listing: SessionListing;
  private readonly tree: SessionsTree;
  private readonly others = new Slot<OtherRows>();
  private readonly keys: SessionKeys;
  private readonly retention: TrashRetention;
  /** Finds the sessions that commands apply to. */
  readonly chosen: ChosenSessions;
  readonly commands: CommandTable;
  private readonly removal: RemovalDeps;

  constructor(private readonly deps: SessionsFeatureDeps) {
    const { gateway, sessions, store, clock, log, surfaceId } = deps;
    this.removal = {
      gateway,
      sessions,
      surfaceId,
      outsideMemory: deps.outsideMemory,
      forgetCopies: deps.forgetCopies,
    };
    this.listing = this.lifetime.register(new SessionListing({ gateway, store, clock, log }));
    this.tree = this.lifetime.register(
      new SessionsTree({
        listing: this.listing,
        others: this.others,
        clock,
        shown: () => gateway.surfaces.shownSession(surfaceId()),
        importFiles: deps.importFiles,
      }),
    );
    this.keys = this.lifetime.register(new SessionKeys({ gateway, sessions, store, surfaceId }));
    this.retention = this.lifetime.register(
      new TrashRetention({
        sessions,
        gateway,
        clock,
        log,
        days: deps.trashDays,
        forgetCopies: deps.forgetCopies,
        onErased: () => void this.listing.refresh(),
      }),
    );
    const storeSettled = (): Promise<void> => store.settled();
    const chosen = (this.chosen = new ChosenSessions({
      gateway,
      sessions,
      surfaceId,
      storeSettled,
      selected: () => this.tree.selected,
      pick: async (title, state) => (await this.pick(title, { searches: false, state }))?.sessionId ?? null,
    }));
    this.commands = {
      ...sessionCommands({
        gateway,
        sessions,
        chosen,
        surfaceId,
        storeSettled,
        files: deps.files,
        focusChat: deps.focusChat,
        showChat: deps.showChat,
        rowOpened: (sessionId) => this.tree.rowOpened(sessionId),
        openTranscript: deps.openTranscript,
        revealMessage: deps.revealMessage,
        removal: this.removal,
        now: () => clock.now(),
        pick: (title, options) => this.pick(title, options),
        whileAsking: (asks) => this.tree.whileAsking(asks),
      }),
      ...this.viewCommands(),
    };
  }

  /** Lets the user choose a session; with `searches`, also by the text of its messages. Null when the user cancels. */
  async pick(
    title: string,
    { searches, state = 'active' }: { readonly searches: boolean; readonly state?: SessionPickerOptions['state'] },
  ): Promise<SessionPick | null> {
    const { gateway, sessions, store, clock, surfaceId, openTranscript, log } = this.deps;
    await store.settled();
    const others = this.others.current;
    const failed = (error: unknown): void => reportFailure('otherFolders', error, log);
    return this.tree.whileAsking(() =>
      pickSession({
        title,
        gateway,
        state,
        showOthers: searches && others !== null ? () => void others.show().catch(failed) : null,
        search: searches ? (query, signal) => sessions.search(query, signal) : null,
        current: gateway.surfaces.shownSession(surfaceId()),
        now: () => clock.now(),
        openTranscript: (pick) => void openTranscript(pick.sessionId, pick.messageUid),
      }),
    );
  }

  /** Lets the user choose the session that a surface shows. */
  async resume(surfaceId: string): Promise<void> {
    const pick = await this.pick(t('Resume Session'), { searches: true });
    if (pick === null) return;
    await this.deps.gateway.switching.switchSession(surfaceId, { reason: 'resume', sessionId: pick.sessionId });
    if (pick.messageUid !== null) await this.deps.revealMessage(pick.sessionId, pick.messageUid);
  }

  /** Called when the chat may show another session, or another state of it. */
  shownChanged(): void {
    this.keys.update();
    this.tree.shownChanged();
  }

  /** Adds the rows of a feature below those of this window's sessions. */
  add(rows: OtherRows): Disposable {
    const filled = this.others.fill(rows);
    const listening = rows.onDidChange(() => this.tree.redrawAll());
    this.tree.othersAdded();
    return toDisposable(() => (filled.dispose(), listening.dispose()));
  }

  /** Called when sessions came or went in another way than by a turn: by an import, by sync. */
  refresh(): void {
    void this.listing.refresh();
    this.keys.update();
  }

  /** Moves sessions to the trash and offers Undo. */
  trash(sessions: readonly Session[]): Promise<void> {
    return deleteSessions(sessions, this.removal);
  }

  /** Asks, then erases sessions for good. */
  erase(sessions: readonly Session[]): Promise<void> {
    return forgetSessions(sessions, this.removal);
  }

  storeOpened(): void {
    this.retention.opened();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private viewCommands(): CommandTable {
    const { listing } = this;
    return {
      filterSessions: async () => {
        const box = {
          title: t('Filter Sessions'),
          value: listing.filter,
          prompt: t('Words from titles or first prompts'),
        };
        const text = await this.tree.whileAsking(() => vscode.window.showInputBox(box));
        if (text !== undefined) await listing.setFilter(text);
      },
      clearSessionsFilter: () => listing.setFilter(''),
      refreshSessions: () => {
        this.others.current?.refresh();
        return listing.refresh();
      },
      showMoreSessions: async (list) => {
        if (isListName(list)) await listing.showMore(list);
      },
    };
  }
}

function isListName(value: unknown): value is ListName {
  return value === 'active' || value === 'archived' || value === 'trash';
}
