import { type Disposable, DisposableStore, toDisposable } from '../../../base/disposable';
import { errorMessage } from '../../../base/errorMessage';
import type { MemoryProviders } from '../../../memory/memoryProviders';
import { adaptedFactory } from './apiMemory';
import type * as api from './hermes';
import type { HermesApi, HermesExtension, MemoryProviderFactory, MemoryRegistration, Sessions } from './hermes';
import { ApiError, apiError } from './hermesError';

import * as v from 'valibot';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { TranscriptPage } from '../../../store/requests';
import type { Session } from '../../../transcript/session';
import { entryCopy, frozen, sessionCopy, shownCopy, turnCopy, turnEventCopy } from './plainCopies';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import type { Log } from '../../../base/log';
import type { SurfaceSwitch } from '../../../gateway/gateway';
import { withoutSecrets } from '../../../models/secrecy/secrecy';

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

interface EventSources {
  readonly gateway: GatewayPart<'surfaces', 'onDidChangeSessions' | 'onDidSwitchSession' | 'onDidTurnEvent'>;
  readonly store: Pick<SessionStore, 'getSession'>;
  readonly log: Log;
}

/** Forwards gateway events to listeners of the API, in the order in which the gateway emits them. Before any event
 *  of a session goes out, looks up if the session is private, once per session: that never changes. Looks nothing up
 *  while there are no listeners. */
class ApiEvents implements Disposable {
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

/** Default and maximum number of entries per call. */
const listLimit = { usual: 50, most: 500 } as const;
const readLimit = { usual: 100, most: 1000 } as const;

const id = v.pipe(v.string(), v.nonEmpty());
const upTo = ({ usual, most }: { readonly usual: number; readonly most: number }) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(most)), usual);
const listQuery = v.optional(
  v.object({ limit: upTo(listLimit), before: v.optional(v.object({ id, lastActiveAt: v.number() })) }),
  {},
);
const readQuery = v.optional(v.object({ limit: upTo(readLimit), before: v.optional(v.number()) }), {});

type ReadStore = Pick<SessionStore, 'listSessions' | 'getSession' | 'conversationTip' | 'readTranscript'>;

/** Implements `sessions` of the API. Private and trashed sessions are not found. */
class SessionReading implements api.Sessions {
  constructor(private readonly store: ReadStore) {}

  async list(query?: Parameters<api.Sessions['list']>[0]): Promise<readonly api.SessionEntry[]> {
    const { limit, before } = checked(listQuery, query, 'sessions.list');
    const after = before === undefined ? {} : { after: before };
    const found = await this.store.listSessions({ limit, withoutPrivate: true, ...after });
    return frozen(found.map(entryCopy));
  }

  async read(sessionId: string, query?: Parameters<api.Sessions['read']>[1]): Promise<api.TranscriptPage> {
    const { limit, before } = checked(readQuery, query, 'sessions.read');
    const session = await this.find(checked(id, sessionId, 'sessions.read'));
    const page = await this.page(session.id, limit, before);
    const messages = page.messages.flatMap((message) => shownCopy(message) ?? []);
    return frozen({
      session: sessionCopy(session),
      messages,
      turns: page.turns.map(turnCopy),
      hasEarlier: page.hasEarlier,
    });
  }

  /** Reads earlier pages until one holds a shown message: a page may hold none where an earlier part was summarized. */
  private async page(sessionId: string, limit: number, before: number | undefined): Promise<TranscriptPage> {
    for (let end = before; ;) {
      const page = await this.store.readTranscript({ sessionId, limit, ...(end === undefined ? {} : { before: end }) });
      if (!page.hasEarlier || page.messages.some(({ visibility }) => visibility.kind === 'shown')) return page;
      end = page.messages[0]?.position;
    }
  }

  private async find(sessionId: string): Promise<Session> {
    const session = await this.store.getSession(sessionId);
    const tip = session === null ? null : await this.store.getSession(await this.store.conversationTip(sessionId));
    if (tip === null || tip.private || tip.trashedAt !== null)
      throw new ApiError('notFound', `There is no session ${sessionId} that other extensions may read.`);
    return tip;
  }
}

function checked<Schema extends v.GenericSchema>(schema: Schema, value: unknown, call: string): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const problems = parsed.issues.map((issue) => `${v.getDotPath(issue) ?? 'the argument'}: ${issue.message}`);
  throw new ApiError('invalid', `${call} cannot be called so: ${problems.join('; ')}.`);
}

function rethrow(error: unknown): never {
  throw apiError(error);
}
interface ApiDeps extends EventSources {
  readonly store: ReadStore;
  readonly memory: Pick<MemoryProviders, 'register'>;
  /** Value of the setting `hermes.memory.provider`. */
  readonly chosenMemory: () => string;
}

/** The API that other extensions get. After `dispose`, none of their listeners and hooks is called any more, and
 *  each of their calls is refused (`closed`). */
export class ExtensionApi implements Disposable {
  private readonly lifetime = new DisposableStore();
  /** Return value of `activate()`. */
  readonly exports: HermesExtension;

  constructor(private readonly deps: ApiDeps) {
    const events = this.lifetime.register(new ApiEvents(deps));
    const reading = new SessionReading(deps.store);
    const api: HermesApi = Object.freeze<HermesApi>({
      apiVersion: 1,
      registerMemoryProvider: (factory) => this.registerMemory(factory),
      sessions: Object.freeze<Sessions>({
        list: async (query) => this.open(() => reading.list(query)).catch(rethrow),
        read: async (sessionId, query) => this.open(() => reading.read(sessionId, query)).catch(rethrow),
      }),
      onDidChangeSessions: (listener) => this.open(() => events.sessionsChanged.event(listener)),
      onDidSwitchSession: (listener) => this.open(() => events.sessionSwitched.event(listener)),
      onTurnEvent: (listener) => this.open(() => events.turnHappened.event(listener)),
    });
    this.exports = Object.freeze({
      getApi: (version: unknown) => {
        if (version !== 1)
          throw new ApiError(
            'invalid',
            `This Hermes has version 1 of its API, not ${String(version)}. Update Hermes, or the extension that ` +
              'asks for it.',
          );
        return api;
      },
    });
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private registerMemory(factory: MemoryProviderFactory): MemoryRegistration {
    const { memory, chosenMemory, log } = this.deps;
    const adapted = this.open(() => adaptedFactory(factory, log));
    const { name } = adapted;
    const registered = this.lifetime.register(refusing(() => memory.register(adapted)));
    const isChosen = (): boolean => chosenMemory() === name;
    const use = isChosen()
      ? 'It is used from the next prompt on.'
      : `It is used when hermes.memory.provider is "${name}"; now it is "${chosenMemory()}".`;
    log.info(`Memory provider ${name} was registered by another extension. ${use}`);
    return Object.freeze({
      get isChosen() {
        return isChosen();
      },
      dispose: () => registered.dispose(),
    });
  }

  private open<T>(call: () => T): T {
    if (this.lifetime.isDisposed) throw new ApiError('closed', 'Hermes was deactivated.');
    return call();
  }
}

/** Runs a registration and turns its error into an `ApiError` (`invalid`). */
function refusing<T>(register: () => T): T {
  try {
    return register();
  } catch (error) {
    throw new ApiError('invalid', errorMessage(error));
  }
}
