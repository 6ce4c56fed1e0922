import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Gateway } from '../../gateway/gateway';
import type { SessionStore } from '../../store/sessionStore';

interface KeyNeeds {
  readonly gateway: Pick<Gateway, 'shownSession' | 'runningTurns' | 'onDidChangeRunning' | 'onDidChangeSessions'>;
  readonly sessions: Pick<SessionStore, 'getSession'>;
  readonly surfaceId: () => string;
}

/** Sets the context keys that enable commands in the manifest: `hermes.sessionShown`, `hermes.running`,
 *  `hermes.sessionPinned`, `hermes.sessionArchived`. All concern the session that the chat shows. */
export class SessionKeys implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly told = new Map<string, boolean>();
  private asked = 0;

  constructor(private readonly needs: KeyNeeds) {
    this.lifetime.register(needs.gateway.onDidChangeRunning(() => this.update()));
    this.lifetime.register(needs.gateway.onDidChangeSessions(() => this.update()));
    this.update();
  }

  /** Called when the shown session may have changed. */
  update(): void {
    const { gateway, sessions, surfaceId } = this.needs;
    const shown = gateway.shownSession(surfaceId());
    this.tell('sessionShown', shown !== null);
    this.tell(
      'running',
      gateway.runningTurns().some(({ sessionId }) => sessionId === shown),
    );
    const asked = ++this.asked;
    const tellMarks = (session: { readonly pinned: boolean; readonly archived: boolean } | null): void => {
      if (asked !== this.asked || this.lifetime.isDisposed) return;
      this.tell('sessionPinned', session?.pinned ?? false);
      this.tell('sessionArchived', session?.archived ?? false);
    };
    if (shown === null) tellMarks(null);
    // A read error of the store is reported elsewhere; the commands then stay as they were.
    else sessions.getSession(shown).then(tellMarks, () => undefined);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private tell(key: string, value: boolean): void {
    if (this.told.get(key) === value) return;
    this.told.set(key, value);
    void vscode.commands.executeCommand('setContext', `hermes.${key}`, value);
  }
}
