import { type Disposable, Emitter, toDisposable } from '../base/disposable';
import type { Log } from '../base/log';
import { errorMessage } from '../base/errorMessage';
import { MemoryManager, type MemoryManagerDeps } from './memoryManager';
import type { MadeProvider } from './providerQueue';
import type { MemoryProvider, MemoryWrite } from './memoryProvider';

/** Input for creating one agent's provider instance. */
export interface MemoryContext {
  /** Call it when a write of the built-in memory is on disk. The manager then notifies the other providers. */
  readonly wrote: (write: MemoryWrite) => void;
}

/** Creates providers, one for each agent. builtin: Hermes' own, always allowed · external: at most one in addition. */
export interface MemoryProviderFactory {
  readonly name: string;
  readonly kind: 'builtin' | 'external';
  /** Must not have lasting effects or use the network: `initialize` is for that. */
  create(context: MemoryContext): MemoryProvider;
}

/** All registered providers of this window, and the choice among them (`hermes.memory.provider`): "none", "builtin",
 *  or the name of an external one, which then works together with the built-in memory. */
export class MemoryProviders {
  private readonly factories = new Map<string, MemoryProviderFactory>();
  private readonly changed = new Emitter<void>();
  /** Fires when a factory was registered or removed. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly chosen: () => string,
    private readonly log: Log,
  ) {}

  /** Throws for a name that is already used or reserved. */
  register(factory: MemoryProviderFactory): Disposable {
    const { name } = factory;
    if (name.trim() === '' || name === 'none') throw new Error(`A memory provider cannot be named "${name}".`);
    if (this.factories.has(name)) throw new Error(`A memory provider named "${name}" is registered already.`);
    this.factories.set(name, factory);
    this.changed.fire();
    return toDisposable(() => {
      this.factories.delete(name);
      this.changed.fire();
    });
  }

  get names(): readonly string[] {
    return [...this.factories.keys()];
  }

  /** Creates the memory of one agent: a manager with its own provider instances. */
  createMemory(
    agent: { readonly isPrivate: boolean },
    deps: Omit<MemoryManagerDeps, 'isPrivate' | 'isCurrent'>,
  ): MemoryManager {
    const { isPrivate } = agent;
    const wanted = this.wanted(isPrivate);
    const isCurrent = (): boolean => {
      const now = this.wanted(isPrivate);
      return now.length === wanted.length && now.every((factory, index) => factory === wanted[index]);
    };
    const manager = new MemoryManager({ ...deps, isPrivate, isCurrent });
    this.logUnknown();
    const context: MemoryContext = { wrote: (write) => manager.mirrorWrite(write) };
    for (const factory of wanted) for (const made of this.make(factory, context)) manager.add(made);
    return manager;
  }

  /** Returns the active providers, the built-in ones first. A private session has none: nothing of it may be
   *  remembered, and it gets no remembered text. */
  private wanted(isPrivate: boolean): readonly MemoryProviderFactory[] {
    const chosen = this.chosen();
    if (chosen === 'none' || isPrivate) return [];
    const builtin = [...this.factories.values()].filter(({ kind }) => kind === 'builtin');
    const external = this.factories.get(chosen);
    return external?.kind === 'external' ? [...builtin, external] : builtin;
  }

  private logUnknown(): void {
    const chosen = this.chosen();
    if (chosen === 'none' || chosen === 'builtin' || this.factories.has(chosen)) return;
    this.log.warn(
      `Memory provider ${chosen} is chosen in the settings but not known here; only the built-in memory is used.`,
    );
  }

  /** Creates a provider. If that fails, logs the error and leaves the provider out. */
  private make(factory: MemoryProviderFactory, context: MemoryContext): readonly MadeProvider[] {
    try {
      return [{ provider: factory.create(context), kind: factory.kind }];
    } catch (error) {
      this.log.warn(`Memory provider ${factory.name} could not be made: ${errorMessage(error)}`);
      return [];
    }
  }
}
