import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Gateway } from '../../gateway/gateway';
import type { SessionStore } from '../../store/sessionStore';

interface KeyDeps {
  readonly gateway: Pick<Gateway, 'shownSession' | 'runningTurns' | 'onDidChangeRunning' | 'onDidChangeSessions'>;
  readonly sessions: Pick<SessionStore, 'getSession'>;
  readonly surfaceId: () => string;
}

/** Sets the context keys that enable commands in the manifest: `hermes.sessionShown`, `hermes.running`,
 *  `hermes.sessionPinned`, `hermes.sessionArchived`. All concern the session that the chat shows. */
export class SessionKeys implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly setKeys = new Map<string, boolean>();
  private asked = 0;

  constructor(private readonly deps: KeyDeps) {
    this.lifetime.register(deps.gateway.onDidChangeRunning(() => this.update()));
    this.lifetime.register(deps.gateway.onDidChangeSessions(() => this.update()));
    this.update();
  }

  /** Called when the shown session may have changed. */
  update(): void {
    const { gateway, sessions, surfaceId } = this.deps;
    const shown = gateway.shownSession(surfaceId());
    this.setKey('sessionShown', shown !== null);
    this.setKey(
      'running',
      gateway.runningTurns().some(({ sessionId }) => sessionId === shown),
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
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private setKey(key: string, value: boolean): void {
    if (this.setKeys.get(key) === value) return;
    this.setKeys.set(key, value);
    void vscode.commands.executeCommand('setContext', `hermes.${key}`, value);
  }
}
