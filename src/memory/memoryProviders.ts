import { type Disposable, Emitter, toDisposable } from '../base/disposable';
import type { Log } from '../base/log';
import { MemoryManager, type MemoryManagerParts } from './memoryManager';
import type { MemoryProvider, MemoryWrite } from './memoryProvider';

/** What the provider instance of one agent is made with. */
export interface MemoryContext {
  /** To be called once a write of the built-in memory is on disk; the manager tells the other providers. */
  readonly wrote: (write: MemoryWrite) => void;
}

/** Makes providers, one for each agent. builtin: Hermes' own, always allowed · external: at most one beside it. */
export interface MemoryProviderFactory {
  readonly name: string;
  readonly kind: 'builtin' | 'external';
  /** Must not do anything lasting, or ask the network: that is for `initialize`. */
  create(context: MemoryContext): MemoryProvider;
}

/** A provider with the kind of its factory. */
export interface MadeProvider {
  readonly provider: MemoryProvider;
  readonly kind: MemoryProviderFactory['kind'];
}

/** Every provider this window knows, whoever registered it, and the choice among them (`hermes.memory.provider`): "none", "builtin", or the
 *  name of an external one, which then works beside the built-in memory. */
export class MemoryProviders {
  private readonly factories = new Map<string, MemoryProviderFactory>();
  private readonly changed = new Emitter<void>();
  /** A factory was registered or taken back. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly chosen: () => string,
    private readonly log: Log,
  ) {}

  /** Throws for a name that is taken or has a meaning of its own. */
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

  /** The memory of one agent: a manager with instances of its own. */
  createMemory(
    agent: { readonly isPrivate: boolean },
    parts: Omit<MemoryManagerParts, 'isPrivate' | 'isCurrent'>,
  ): MemoryManager {
    const { isPrivate } = agent;
    const wanted = this.wanted(isPrivate);
    const isCurrent = (): boolean => {
      const now = this.wanted(isPrivate);
      return now.length === wanted.length && now.every((factory, index) => factory === wanted[index]);
    };
    const manager = new MemoryManager({ ...parts, isPrivate, isCurrent });
    this.tellOfUnknown();
    const context: MemoryContext = { wrote: (write) => manager.mirrorWrite(write) };
    for (const factory of wanted) for (const made of this.make(factory, context)) manager.add(made);
    return manager;
  }

  /** The providers in force, the built-in ones first. A private session has none: nothing of it may be remembered, and nothing remembered reaches it. */
  private wanted(isPrivate: boolean): readonly MemoryProviderFactory[] {
    const chosen = this.chosen();
    if (chosen === 'none' || isPrivate) return [];
    const builtin = [...this.factories.values()].filter(({ kind }) => kind === 'builtin');
    const external = this.factories.get(chosen);
    return external?.kind === 'external' ? [...builtin, external] : builtin;
  }

  private tellOfUnknown(): void {
    const chosen = this.chosen();
    if (chosen === 'none' || chosen === 'builtin' || this.factories.has(chosen)) return;
    this.log.warn(
      `Memory provider ${chosen} is chosen in the settings but not known here; only the built-in memory is used.`,
    );
  }

  /** One that cannot be made is logged and left out. */
  private make(factory: MemoryProviderFactory, context: MemoryContext): readonly MadeProvider[] {
    try {
      return [{ provider: factory.create(context), kind: factory.kind }];
    } catch (error) {
      this.log.warn(
        `Memory provider ${factory.name} could not be made: ${error instanceof Error ? error.message : String(error)}`,
      );
      return [];
    }
  }
}
