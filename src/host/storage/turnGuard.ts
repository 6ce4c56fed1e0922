import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { Gateway } from '../../gateway/gateway';
import type { TurnGuard } from '../../store/ownership/storeConnection';
import type { SessionStore } from '../../store/sessionStore';
import { describeError } from '../common/describeError';

/** Answers another window that requests the history while turns run here, and stops those turns for it. A turn that
 *  awaits approval blocks nothing: it stays `waiting` in the store. */
export class GatewayTurnGuard implements TurnGuard, Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly titles = new Map<string, string | null>();

  constructor(
    private readonly gateway: Pick<Gateway, 'runningTurns' | 'onDidChangeRunning' | 'stop' | 'leaveWaiting'>,
    private readonly sessions: Pick<SessionStore, 'getSession'>,
    private readonly log: Log,
  ) {
    this.lifetime.register(gateway.onDidChangeRunning(() => this.readTitles()));
  }

  isBusy(): { readonly sessionTitle: string | null } | null {
    const first = this.gateway.runningTurns().find((turn) => !turn.isWaiting);
    return first === undefined ? null : { sessionTitle: this.titles.get(first.sessionId) ?? null };
  }

  async stopRunning(): Promise<void> {
    const sessions = new Set(this.gateway.runningTurns().flatMap((turn) => (turn.isWaiting ? [] : [turn.sessionId])));
    await Promise.all([...sessions].map((sessionId) => this.gateway.stop(sessionId)));
  }

  leaveWaiting(): void {
    void this.gateway.leaveWaiting();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** Reads the titles when a turn starts: another window may ask at any time and gets its answer at once. */
  private readTitles(): void {
    const running = new Set(this.gateway.runningTurns().map((turn) => turn.sessionId));
    for (const known of this.titles.keys()) if (!running.has(known)) this.titles.delete(known);
    for (const sessionId of running) {
      if (this.titles.has(sessionId)) continue;
      this.titles.set(sessionId, null);
      this.sessions.getSession(sessionId).then(
        (session) => this.titles.set(sessionId, session?.title ?? null),
        (error: unknown) =>
          this.log.warn(`The title of a running session could not be read: ${describeError(error).sentence}`),
      );
    }
  }
}
