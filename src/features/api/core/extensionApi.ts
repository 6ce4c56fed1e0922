import { type Disposable, DisposableStore } from '../../../base/disposable';
import { errorMessage } from '../../../base/errorMessage';
import type { MemoryProviders } from '../../../memory/memoryProviders';
import { ApiEvents, type EventSources } from './apiEvents';
import { adaptedFactory } from './apiMemory';
import type { HermesApi, HermesExtension, MemoryProviderFactory, MemoryRegistration, Sessions } from './hermes';
import { ApiError } from './hermesError';
import { type ReadStore, SessionReading } from './sessionReading';

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
        list: async (query) => this.open(() => reading.list(query)),
        read: async (sessionId, query) => this.open(() => reading.read(sessionId, query)),
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
