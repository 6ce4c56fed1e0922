import * as vscode from 'vscode';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { SessionStore } from '../../store/sessionStore';
import type { StoreStatus } from '../storage/storeStatus';

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
export class SessionKeys implements Disposable {
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
