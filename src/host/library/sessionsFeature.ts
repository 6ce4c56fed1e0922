import * as vscode from 'vscode';
import { DisposableStore, toDisposable, type Disposable, Owner } from '../../base/disposable';
import { t } from '../../base/translate';
import type { Session } from '../../transcript/session';
import { reportFailure, type CommandTable } from '../common/commands';
import { describeError } from '../common/describeError';
import { Slot } from '../common/slot';
import { ChosenSessions } from './chosenSessions';
import type { LibraryWindow } from './libraryWindow';
import { deleteSessions, forgetSessions } from './removal';
import { sessionCommands } from './sessionCommands';
import { type ListName, SessionListing } from './sessionListing';
import { pickSession, type SessionPick, type SessionPickerOptions } from './sessionPicker';
import { SessionsTree, type OtherRows } from './sessionsTree';

const daySeconds = 86_400;
/** Milliseconds. Erasing rewrites the file, so it waits until the window has started. */
const delayMs = 20_000;

/** Erases sessions that were in the trash for too long. Runs once, some time after the store has opened, and not
 *  during an answer. */
export class TrashRetention implements Disposable {
  private readonly lifetime = new DisposableStore();
  private cancelWait: (() => void) | null = null;
  private isDue = false;

  /** `onErased`: called when sessions were erased: lists must be read again. */
  constructor(
    private readonly window: LibraryWindow,
    private readonly onErased: () => void,
  ) {
    this.lifetime.register(window.gateway.turns.onDidChangeRunning(() => void this.prune()));
  }

  /** Called when the store has opened. */
  opened(): void {
    this.cancelWait?.();
    this.cancelWait = this.window.clock.after(delayMs, () => {
      this.isDue = true;
      void this.prune();
    });
  }

  dispose(): void {
    this.cancelWait?.();
    this.lifetime.dispose();
  }

  private async prune(): Promise<void> {
    const { history, gateway, settings, clock, log, forgetCopies } = this.window;
    const { trashDays } = settings.current;
    if (!this.isDue || this.lifetime.isDisposed || gateway.turns.running().length > 0) return;
    this.isDue = false;
    if (trashDays === 0) return;
    try {
      const { sessionIds } = await history.store.pruneTrash(clock.now() - trashDays * daySeconds);
      if (sessionIds.length === 0) return;
      log.info(`${sessionIds.length} sessions were in the trash for more than ${trashDays} days and are erased.`);
      this.onErased();
      for (const sentence of (await Promise.all(forgetCopies.run(sessionIds))).flat()) log.warn(sentence);
    } catch (error) {
      log.warn(`The trash could not be emptied of what is old: ${describeError(error).sentence}`);
    }
  }
}
/** Sets the context keys that enable commands in the manifest: `hermes.sessionShown`, `hermes.running`,
 *  `hermes.sessionPinned`, `hermes.sessionArchived` concern the session that the chat shows; `hermes.hasSessions` the
 *  history. */
class SessionKeys extends Owner {
  private readonly setKeys = new Map<string, boolean>();
  private asked = 0;

  constructor(private readonly window: LibraryWindow) {
    super();
    const { gateway, history } = window;
    this.lifetime.register(gateway.turns.onDidChangeRunning(() => this.update()));
    this.lifetime.register(gateway.surfaces.onDidChangeSessions(() => this.update()));
    this.lifetime.register(history.status.onDidChange(() => this.updateHistory()));
    this.update();
  }

  /** Called when the shown session may have changed. */
  update(): void {
    const { gateway, history, activeChat } = this.window;
    const shown = gateway.surfaces.shownSession(activeChat.surfaceId);
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
    else history.store.getSession(shown).then(setMarks, () => undefined);
    this.updateHistory();
  }

  /** A history that cannot be read may hold sessions. */
  private updateHistory(): void {
    const { status } = this.window.history;
    if (!status.isReadable) return this.setKey('hasSessions', status.shown.kind !== 'opening');
    const set = (holdsAny: boolean): void => {
      if (!this.lifetime.isDisposed) this.setKey('hasSessions', holdsAny);
    };
    this.holdsSessions().then(set, () => undefined);
  }

  private async holdsSessions(): Promise<boolean> {
    for (const state of ['active', 'archived', 'trash'] as const)
      if ((await this.window.history.store.listSessions({ state, limit: 1 })).length > 0) return true;
    return false;
  }

  private setKey(key: string, value: boolean): void {
    if (this.setKeys.get(key) === value) return;
    this.setKeys.set(key, value);
    void vscode.commands.executeCommand('setContext', `hermes.${key}`, value);
  }
}

/** Stored sessions outside the chat: the sessions view, the pickers, and their commands. */
export class SessionsFeature extends Owner {
  private readonly listing: SessionListing;
  private readonly tree: SessionsTree;
  private readonly others = new Slot<OtherRows>();
  private readonly keys: SessionKeys;
  private readonly retention: TrashRetention;
  /** Finds the sessions that commands apply to. */
  readonly chosen: ChosenSessions;
  readonly commands: CommandTable;

  constructor(private readonly window: LibraryWindow) {
    super();
    const { gateway, history, clock, log } = window;
    this.listing = this.lifetime.register(new SessionListing({ gateway, store: history.status, clock, log }));
    this.tree = this.lifetime.register(new SessionsTree(window, this.listing, this.others));
    this.keys = this.lifetime.register(new SessionKeys(window));
    this.retention = this.lifetime.register(new TrashRetention(window, () => void this.listing.refresh()));
    this.chosen = new ChosenSessions(
      window,
      () => this.tree.selected,
      async (title, state) => (await this.pick(title, { searches: false, state }))?.sessionId ?? null,
    );
    this.commands = { ...sessionCommands(window, this), ...this.viewCommands() };
  }

  /** Lets the user choose a session; with `searches`, also by the text of its messages. Null when the user cancels. */
  async pick(
    title: string,
    { searches, state = 'active' }: { readonly searches: boolean; readonly state?: SessionPickerOptions['state'] },
  ): Promise<SessionPick | null> {
    const { gateway, history, activeChat, transcripts, clock, log } = this.window;
    await history.status.settled();
    const others = this.others.current;
    const failed = (error: unknown): void => reportFailure('otherFolders', error, log);
    return this.whileAsking(() =>
      pickSession({
        title,
        gateway,
        state,
        showOthers: searches && others !== null ? () => void others.show().catch(failed) : null,
        search: searches ? (query, signal) => history.store.search(query, signal) : null,
        current: gateway.surfaces.shownSession(activeChat.surfaceId),
        now: () => clock.now(),
        openTranscript: (pick) => transcripts.current?.open(pick.sessionId, pick.messageUid),
      }),
    );
  }

  /** Lets the user choose the session that a surface shows. */
  async resume(surfaceId: string): Promise<void> {
    const pick = await this.pick(t('Resume Session'), { searches: true });
    if (pick === null) return;
    await this.window.gateway.switching.switchSession(surfaceId, { reason: 'resume', sessionId: pick.sessionId });
    if (pick.messageUid !== null) await this.window.opener.revealMessage(pick.sessionId, pick.messageUid);
  }

  /** Asks in a QuickPick or InputBox, and defers refreshes of the sessions view until it closes. */
  readonly whileAsking = <T>(asks: () => PromiseLike<T>): Promise<T> => this.tree.whileAsking(asks);

  /** Called when the user opened a row of the sessions view. */
  rowOpened(sessionId: string): void {
    this.tree.rowOpened(sessionId);
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
    return deleteSessions(sessions, this.window);
  }

  /** Asks, then erases sessions for good. */
  erase(sessions: readonly Session[]): Promise<void> {
    return forgetSessions(sessions, this.window);
  }

  storeOpened(): void {
    this.retention.opened();
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
        const text = await this.whileAsking(() => vscode.window.showInputBox(box));
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
