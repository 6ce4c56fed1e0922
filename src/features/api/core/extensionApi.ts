import { type Disposable, DisposableStore } from '../../../base/disposable';
import { errorMessage } from '../../../base/errorMessage';
import type { MemoryProviders } from '../../../memory/memoryProviders';
import { ApiEvents, type EventSources } from './apiEvents';
import { adaptedFactory } from './apiMemory';
import type * as api from './hermes';
import type { HermesApi, HermesExtension, MemoryProviderFactory, MemoryRegistration, Sessions } from './hermes';
import { ApiError, apiError } from './hermesError';

import * as v from 'valibot';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { TranscriptPage } from '../../../store/requests';
import type { Session } from '../../../transcript/session';
import { entryCopy, frozen, sessionCopy, shownCopy, turnCopy } from './plainCopies';

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
