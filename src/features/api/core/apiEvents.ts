import { type Disposable, DisposableStore, toDisposable } from '../../../base/disposable';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import type { Log } from '../../../base/log';
import { errorMessage } from '../../../base/errorMessage';
import type { SurfaceSwitch } from '../../../gateway/gateway';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { Session } from '../../../transcript/session';
import type * as api from './hermes';
import { frozen, turnEventCopy } from './plainCopies';
import { withoutSecrets } from '../../../models/secrecy/secrecy';
import { ApiError } from './hermesError';

/** Listeners of other extensions for one kind of event. A failing listener affects nothing else. Only the first
 *  failure of each listener is logged, because one answer can be a thousand events. */
class ApiListeners<T> implements Disposable {
  private readonly listeners = new Map<symbol, (event: T) => unknown>();
  private readonly failed = new Set<symbol>();
  private isClosed = false;

  constructor(
    private readonly name: string,
    private readonly log: Log,
  ) {}

  get isEmpty(): boolean {
    return this.listeners.size === 0;
  }

  readonly event = (listener: (event: T) => unknown): Disposable => {
    if (typeof listener !== 'function')
      throw new ApiError('invalid', `${this.name} takes a function that is called for every event.`);
    const key = Symbol(this.name);
    if (!this.isClosed) this.listeners.set(key, listener);
    return toDisposable(() => this.listeners.delete(key));
  };

  fire(event: T): void {
    for (const [key, listener] of [...this.listeners]) void this.call(key, listener, event);
  }

  dispose(): void {
    this.isClosed = true;
    this.listeners.clear();
  }

  private async call(key: symbol, listener: (event: T) => unknown, event: T): Promise<void> {
    try {
      await listener(event);
    } catch (error) {
      if (this.failed.has(key)) return;
      this.failed.add(key);
      this.log.warn(
        `A listener of another extension for ${this.name} failed: ${withoutSecrets(errorMessage(error), null)}`,
      );
    }
  }
}

export interface EventSources {
  readonly gateway: GatewayPart<'surfaces', 'onDidChangeSessions' | 'onDidSwitchSession' | 'onDidTurnEvent'>;
  readonly store: Pick<SessionStore, 'getSession'>;
  readonly log: Log;
}

/** Forwards gateway events to listeners of the API, in the order in which the gateway emits them. Before any event
 *  of a session goes out, looks up if the session is private, once per session: that never changes. Looks nothing up
 *  while there are no listeners. */
export class ApiEvents implements Disposable {
  private readonly lifetime = new DisposableStore();
  /** Chains the events, because a look-up is asynchronous: each waits for the one before. */
  private tail: Promise<void> = Promise.resolve();
  private readonly known = new Map<string, 'public' | 'private'>();
  readonly sessionsChanged: ApiListeners<api.SessionsChange>;
  readonly sessionSwitched: ApiListeners<api.SessionSwitched>;
  readonly turnHappened: ApiListeners<api.TurnEvent>;

  constructor(private readonly parts: EventSources) {
    const { gateway, log } = parts;
    const own = <T extends Disposable>(part: T): T => this.lifetime.register(part);
    this.sessionsChanged = own(new ApiListeners('onDidChangeSessions', log));
    this.sessionSwitched = own(new ApiListeners('onDidSwitchSession', log));
    this.turnHappened = own(new ApiListeners('onTurnEvent', log));
    own(
      gateway.surfaces.onDidChangeSessions((sessionIds) =>
        this.next(this.sessionsChanged, () => this.change(sessionIds)),
      ),
    );
    own(gateway.surfaces.onDidSwitchSession((event) => this.next(this.sessionSwitched, () => this.switch(event))));
    own(
      gateway.surfaces.onDidTurnEvent(({ sessionId, event }) => {
        // Copy now: the event's objects may change later.
        const copy = this.turnHappened.isEmpty ? null : turnEventCopy(sessionId, event);
        if (copy !== null)
          this.next(this.turnHappened, async () => ((await this.kindOf(sessionId)) === 'public' ? copy : null));
      }),
    );
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private next<T>(listeners: ApiListeners<T>, make: () => Promise<T | null>): void {
    if (listeners.isEmpty) return;
    this.tail = this.tail.then(async () => {
      try {
        const event = await make();
        if (event !== null) listeners.fire(frozen(event));
      } catch (error) {
        this.parts.log.trace(`Other extensions were not told of an event: ${errorMessage(error)}`);
      }
    });
  }

  private async change(sessionIds: readonly string[]): Promise<api.SessionsChange | null> {
    const kinds = await Promise.all(sessionIds.map((sessionId) => this.kindOf(sessionId)));
    const isAllPrivate = sessionIds.length > 0 && kinds.every((kind) => kind === 'private');
    return isAllPrivate ? null : { sessionIds: sessionIds.filter((_sessionId, index) => kinds[index] === 'public') };
  }

  /** Reports a private session as the empty state. */
  private async switch({ surfaceId, from, to, reason }: SurfaceSwitch): Promise<api.SessionSwitched | null> {
    const previousSessionId = from !== null && (await this.kindOf(from)) === 'public' ? from : null;
    const session = to === null ? null : await this.resolve(to);
    const shown = session === null || session.private ? null : session;
    if (shown === null && previousSessionId === null) return null;
    return {
      viewId: surfaceId,
      previousSessionId,
      sessionId: shown?.id ?? null,
      parentSessionId: shown?.parentSessionId ?? null,
      reason,
    };
  }

  /** `unknown`: the session no longer exists, so nothing about it may go out. */
  private async kindOf(sessionId: string): Promise<'public' | 'private' | 'unknown'> {
    const known = this.known.get(sessionId);
    if (known !== undefined) return known;
    await this.resolve(sessionId);
    return this.known.get(sessionId) ?? 'unknown';
  }

  private async resolve(sessionId: string): Promise<Session | null> {
    const session = await this.parts.store.getSession(sessionId);
    if (session !== null) this.known.set(sessionId, session.private ? 'private' : 'public');
    return session;
  }
}
