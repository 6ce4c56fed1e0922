import type { Clock } from '../../base/clock';
import { DisposableStore, Emitter, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import type { ModelCatalog, ProviderModels } from '../../models/catalog/catalog';
import { isLoopback } from '../../models/http/endpoint';
import { noModelFailure } from '../../models/http/failures';
import type { ModelInfo } from '../../models/modelInfo';
import { ModelError, type ModelProvider } from '../../models/modelProvider';
import type { ModelList, ModelRow, ModelState, Setup } from '../../protocol/chatProtocol';
import { describeError } from '../common/describeError';
import { ModelDiscovery, type DiscoveryLabels } from './modelDiscovery';
/** Milliseconds for which a list of models is cached. */
const freshForMs = 60_000;
/** Milliseconds to wait for a chosen local or editor model while reading its facts for the header. */
const describeTimeoutMs = 10_000;
const rediscoverAfterMs = 3000;

interface ModelServiceDeps {
  readonly catalog: Pick<ModelCatalog, 'list' | 'resolve' | 'providerNamed' | 'discover'>;
  /** Model of new sessions. Null: none was chosen. */
  readonly defaultModel: () => string | null;
  readonly labels: DiscoveryLabels;
  readonly clock: Clock;
  readonly log: Log;
}

/** Models from the user's view: the one that answers, the ones to choose from, and the ones found for the first
 *  setup. */
export class ModelService implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly changes = this.lifetime.register(new Emitter<void>());
  private readonly stop = new AbortController();
  private readonly known = new Map<string, ModelRow>();
  private readonly problems = new Map<string, string>();
  private readonly describing = new Set<string>();
  /** Models whose facts could not be read, for a reason unrelated to the model. Not retried until something changes. */
  private readonly undescribed = new Set<string>();
  private readonly discovery: ModelDiscovery;
  private rediscovering = false;
  private cancelRediscovery: () => void = () => undefined;
  private listed: { readonly atMs: number; readonly choices: Promise<ModelList> } | null = null;

  constructor(private readonly deps: ModelServiceDeps) {
    this.discovery = new ModelDiscovery(deps.catalog, deps.labels, deps.log, () => this.changes.fire());
  }

  onDidChange(listener: () => void): Disposable {
    return this.changes.event(listener);
  }

  /** Model that answers a session that chose `ref` (null: the session chose none, so the default), and the reason if
   *  that model cannot be used. */
  stateOf(ref: string | null): ModelState {
    const chosen = ref ?? this.deps.defaultModel();
    if (chosen === null) return { chosen: null, problem: null };
    const provider = this.providerOf(chosen);
    if (provider === null) return { chosen: null, problem: noModelFailure(chosen).sentence };
    if (describesForFree(provider)) void this.describe(chosen);
    return { chosen: this.known.get(chosen) ?? sketch(chosen, provider), problem: this.problems.get(chosen) ?? null };
  }

  /** Lists every model that can be chosen. Reports failed sources with their reason; the others are still listed. */
  choices(refresh: boolean): Promise<ModelList> {
    const now = this.deps.clock.monotonicMs();
    if (this.listed === null || refresh || now - this.listed.atMs > freshForMs) {
      const choices = this.list();
      this.listed = { atMs: now, choices };
      choices.catch(() => {
        if (this.listed?.choices === choices) this.listed = null;
      });
    }
    return this.listed.choices;
  }

  /** Lists the models of one source, for a choice right after its setup. */
  async modelsOf(name: string): Promise<ModelList> {
    const provider = this.deps.catalog.providerNamed(name);
    if (provider === null)
      return { models: [], problems: [{ provider: name, sentence: noModelFailure(name).sentence }] };
    return this.choicesFrom([{ provider, listing: await provider.listModels(this.stop.signal) }]);
  }

  get setup(): Setup {
    return this.discovery.setup;
  }

  /** Searches again for available models. */
  async discover(): Promise<Setup> {
    await this.discovery.run(this.stop.signal);
    return this.setup;
  }

  /** Called when settings, keys or the editor's models change: drops the cache, so that the next request reads
   *  again. */
  invalidate(): void {
    this.listed = null;
    this.known.clear();
    this.problems.clear();
    this.undescribed.clear();
    this.changes.fire();
  }

  /** Called when the editor's models change, perhaps because their extension has only just started. While the user
   *  has no model yet, searches again, but at most every few seconds, because the search itself can cause such
   *  changes. */
  editorModelsChanged(): void {
    this.invalidate();
    if (this.rediscovering || this.stateOf(null).chosen !== null) return;
    this.rediscovering = true;
    this.cancelRediscovery = this.deps.clock.after(rediscoverAfterMs, () => {
      this.rediscovering = false;
      this.discover().catch((error: unknown) =>
        this.deps.log.warn(`Models could not be looked for: ${describeError(error).sentence}`),
      );
    });
  }

  dispose(): void {
    this.cancelRediscovery();
    this.stop.abort();
    this.lifetime.dispose();
  }

  private async list(): Promise<ModelList> {
    const { catalog } = this.deps;
    const [setUp, found] = await Promise.all([catalog.list(this.stop.signal), catalog.discover(this.stop.signal)]);
    const names = new Set(setUp.map(({ provider }) => provider.name));
    const local = found
      .map(({ name }) => catalog.providerNamed(name))
      .filter((provider) => provider !== null && !names.has(provider.name));
    const asked = await Promise.all(local.flatMap((provider) => (provider === null ? [] : [this.ask(provider)])));
    return this.choicesFrom([...setUp, ...asked]);
  }

  private async ask(provider: ModelProvider): Promise<ProviderModels> {
    return { provider, listing: await provider.listModels(this.stop.signal) };
  }

  private choicesFrom(sources: readonly ProviderModels[]): ModelList {
    const models = sources.flatMap(({ provider, listing }) =>
      listing.kind === 'models' ? listing.models.map((info) => this.remember(info, provider)) : [],
    );
    const problems = sources.flatMap(({ provider, listing }) =>
      listing.kind === 'failed' ? [{ provider: provider.name, sentence: listing.failure.sentence }] : [],
    );
    this.changes.fire();
    return { models, problems };
  }

  private remember(info: ModelInfo, provider: ModelProvider): ModelRow {
    const row = modelRow(info, provider.kind === 'demo');
    this.known.set(info.ref, row);
    this.problems.delete(info.ref);
    return row;
  }

  /** Reads the facts of a chosen model in the background: its allocated context and warnings must be visible before
   *  the first prompt. */
  private async describe(ref: string): Promise<void> {
    if ([this.known, this.problems, this.describing, this.undescribed].some((asked) => asked.has(ref))) return;
    const provider = this.providerOf(ref);
    if (provider === null) return;
    this.describing.add(ref);
    const timeout = new AbortController();
    const cancel = this.deps.clock.after(describeTimeoutMs, () => timeout.abort());
    try {
      const model = await this.deps.catalog.resolve(ref, AbortSignal.any([this.stop.signal, timeout.signal]));
      this.remember(model.info, provider);
    } catch (error) {
      if (error instanceof ModelError) {
        this.problems.set(ref, error.failure.sentence);
      } else {
        this.undescribed.add(ref);
        this.deps.log.warn(`The model ${ref} could not be described: ${describeError(error).sentence}`);
      }
    } finally {
      cancel();
      this.describing.delete(ref);
    }
    if (!this.stop.signal.aborted) this.changes.fire();
  }

  private providerOf(ref: string): ModelProvider | null {
    const slash = ref.indexOf('/');
    return slash < 1 ? null : this.deps.catalog.providerNamed(ref.slice(0, slash));
  }
}

/** Models as chat views see them. */
export type ChatModels = Pick<ModelService, 'stateOf' | 'choices' | 'setup' | 'discover' | 'onDidChange'>;

/** True when reading a model's facts stays on this machine. A hosted service is contacted only when the user opens a
 *  list or sends a prompt. */
function describesForFree(provider: ModelProvider): boolean {
  if (provider.kind === 'editor' || provider.kind === 'demo') return true;
  return isLoopback(provider.destination.replace(/:\d+$/, ''));
}

/** Facts about a chosen model that are known before its source responds. */
function sketch(ref: string, provider: ModelProvider): ModelRow {
  const id = ref.slice(ref.indexOf('/') + 1);
  const known = provider.facts?.(id);
  if (known !== undefined) return modelRow(known, false);
  return {
    ref,
    label: id,
    provider: provider.name,
    destination: provider.destination,
    contextWindow: null,
    tools: null,
    images: null,
    price: null,
    warnings: [],
    isDemo: provider.kind === 'demo',
  };
}

/** Converts a model for pickers. The context window is the one that the server really allocates, if known. */
function modelRow(info: ModelInfo, isDemo: boolean): ModelRow {
  return {
    ref: info.ref,
    label: info.label,
    provider: info.provider,
    destination: info.destination,
    contextWindow: info.allocatedContext ?? info.contextWindow,
    tools: info.tools,
    images: info.images,
    efforts: info.efforts,
    price: info.price,
    warnings: info.warnings,
    isDemo,
  };
}

/** Formats the line under a model's name: context, price, and warnings. Leaves out unknown facts, never guesses. */
export function modelDetail(row: Pick<ModelRow, 'contextWindow' | 'price' | 'warnings'>, language: string): string {
  const facts = [
    row.contextWindow === null ? null : t('{size} token context', { size: compact(row.contextWindow, language) }),
    row.price === null ? null : priceText(row.price, language),
    ...row.warnings,
  ];
  return facts.filter((fact) => fact !== null).join(' · ');
}

function priceText(price: { readonly input: number; readonly output: number }, language: string): string {
  if (price.input === 0 && price.output === 0) return t('free');
  return t('{input} in, {output} out per million tokens', {
    input: dollars(price.input, language),
    output: dollars(price.output, language),
  });
}

function compact(tokens: number, language: string): string {
  return new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(tokens);
}

function dollars(amount: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: amount < 1 ? 3 : 2,
  }).format(amount);
}
