import type { ChatModel } from '../chatModel';
import { findLocalServers, type FoundServer } from './discovery';
import { parseEndpoint } from '../http/endpoint';
import { EndpointProvider, type EndpointDeps } from './endpointProvider';
import { FileModels } from './fileModels';
import { noModelFailure } from '../http/failures';
import { ModelError, type ModelListing, type ModelProvider } from '../modelProvider';
import { localServerPresets, servicePresets, type LocalServerPreset } from '../presets';
import type { ProviderSettings } from '../providerSettings';

export interface CatalogDeps extends EndpointDeps {
  /** Returns the validated, current entries of `hermes.providers`. */
  readonly settings: () => readonly ProviderSettings[];
  /** Sources without an endpoint: VS Code's own models, Demo. */
  readonly others: readonly ModelProvider[];
  /** Sources that come and go. They have the lowest rank where names are the same. Default: none. */
  readonly more?: () => readonly ModelProvider[];
  readonly localServers?: readonly LocalServerPreset[];
}

export interface ProviderModels {
  readonly provider: ModelProvider;
  readonly listing: ModelListing;
}

/** All sources of models: the user's endpoints, services with a key, servers on this machine, and sources that the
 *  host adds. */
export class ModelCatalog {
  private readonly cache = new Map<string, EndpointProvider>();
  private readonly localServers: readonly LocalServerPreset[];
  readonly ofFiles: FileModels;

  constructor(private readonly deps: CatalogDeps) {
    this.localServers = deps.localServers ?? localServerPresets;
    this.ofFiles = new FileModels(this, deps.clock);
  }

  /** Returns the sources that are set up: configured endpoints, known services with a key, and the host's own. */
  async providers(): Promise<readonly ModelProvider[]> {
    const configured = this.deps.settings();
    const keyed = await Promise.all(
      servicePresets
        .filter((preset) => !configured.some(({ name }) => name === preset.name))
        .map(async (preset) => {
          const key = await this.deps.keyOf(preset.name, new URL(preset.baseUrl).origin);
          return key === undefined || key.trim() === '' ? null : this.endpoint(preset);
        }),
    );
    return [
      ...configured.map((settings) => this.endpoint(settings)),
      ...keyed.filter((provider) => provider !== null),
      ...this.deps.others,
      ...this.more,
    ];
  }

  /** Lists the models of every source that is set up, in parallel. A source that fails reports this in its own
   *  listing. */
  async list(signal: AbortSignal): Promise<readonly ProviderModels[]> {
    const providers = await this.providers();
    return Promise.all(providers.map(async (provider) => ({ provider, listing: await provider.listModels(signal) })));
  }

  /** Opens the model for a reference "<provider>/<id>". Throws `ModelError`. Services and local servers are known by
   *  name before they are set up, so the error can name the missing part (a key). */
  async resolve(ref: string, signal: AbortSignal): Promise<ChatModel> {
    const slash = ref.indexOf('/');
    const provider = slash > 0 ? this.providerNamed(ref.slice(0, slash)) : null;
    const modelId = ref.slice(slash + 1);
    if (provider === null || modelId === '') throw new ModelError(noModelFailure(ref));
    return provider.open(modelId, signal);
  }

  /** Returns a source by its name, or null. */
  providerNamed(name: string): ModelProvider | null {
    const configured = this.deps.settings().find((settings) => settings.name === name);
    if (configured !== undefined) return this.endpoint(configured);
    const other = this.deps.others.find((provider) => provider.name === name);
    if (other !== undefined) return other;
    const known = [...servicePresets, ...this.localServers].find((preset) => preset.name === name);
    if (known !== undefined) return this.endpoint(known);
    return this.more.find((provider) => provider.name === name) ?? null;
  }

  private get more(): readonly ModelProvider[] {
    return this.deps.more?.() ?? [];
  }

  /** Returns the servers on this machine that answer within a second. A server that is already in the settings gets
   *  its name from there. */
  async discover(signal: AbortSignal): Promise<readonly FoundServer[]> {
    const found = await findLocalServers(this.localServers, this.deps, signal);
    return found.map((server) => {
      const configured = this.deps.settings().find(({ baseUrl }) => sameServer(baseUrl, server.baseUrl));
      return configured === undefined ? server : { ...server, name: configured.name };
    });
  }

  /** Tests an endpoint with a key that is not stored yet. Null: no key. */
  testConnection(settings: ProviderSettings, key: string | null, signal: AbortSignal): Promise<ModelListing> {
    const preset = servicePresets.find(({ baseUrl }) => baseUrl === settings.baseUrl);
    return new EndpointProvider({ ...preset, ...settings }, this.deps).test(key, signal);
  }

  private endpoint(settings: ProviderSettings): EndpointProvider {
    const identity = JSON.stringify([settings.name, settings.protocol, settings.baseUrl, settings.models ?? null]);
    const known = this.cache.get(identity);
    if (known !== undefined) return known;
    const provider = new EndpointProvider(settings, this.deps);
    this.cache.set(identity, provider);
    return provider;
  }
}

/** True when both addresses are the same server: 127.0.0.1 and localhost count as one machine. */
function sameServer(left: string, right: string): boolean {
  const [a, b] = [parseEndpoint(left), parseEndpoint(right)];
  if (a === null || b === null) return false;
  return a.loopback && b.loopback ? new URL(a.origin).port === new URL(b.origin).port : a.origin === b.origin;
}
