import * as v from 'valibot';
import type { Clock } from '../../base/clock';
import type { ChatModel, ModelRequest, ModelStream } from '../chatModel';
import { parseEndpoint, type Endpoint } from '../http/endpoint';
import { type FactsAnswer, askForModels, factsOfClaude, keyHeaders } from './endpointModels';
import { failureOf, invalidBaseUrlFailure, noKeyFailure } from '../http/failures';
import { requestJson } from '../http/jsonRequest';
import { describeModel, type ModelFacts } from '../modelFacts';
import type { ModelInfo } from '../modelInfo';
import { ModelError, type ModelListing, type ModelProvider } from '../modelProvider';
import { free, type PriceSnapshot, snapshotFacts } from '../prices/priceSnapshot';
import { fetchWithTimeouts } from '../http/fetchWithTimeouts';
import type { ServicePreset } from '../presets';
import type { ProviderSettings } from '../providerSettings';
import { LearnedRefusals, withoutImages } from '../http/refusals';
import { loopbackPolicy, remotePolicy, runRequest, type RequestRunnerDeps } from '../http/requestRunner';
import { shownAddress } from '../secrecy/secrecy';
import type { LoadTransports, TransportFault } from '../transport';

/** Returns the key of a provider for exactly this origin. */
type KeyOf = (provider: string, origin: string) => Promise<string | undefined>;

export interface EndpointDeps {
  readonly keyOf: KeyOf;
  readonly loadTransports: LoadTransports;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Prices and context sizes for what a service does not list itself. Null: they cannot be read. Default: none. */
  readonly prices?: () => Promise<PriceSnapshot | null>;
}

const listingTimeoutMs = 10_000;
/** Milliseconds. A model is opened inside a turn, so facts that its server does not send in this time are left out. */
const openingTimeoutMs = 2_000;

/** An HTTP endpoint as a source of models. */
export class EndpointProvider implements ModelProvider {
  readonly name: string;
  readonly kind: 'openai' | 'anthropic';
  readonly destination: string;
  private readonly endpoint: Endpoint | null;
  /** Facts from the last listing, so that opening one of many hosted models does not fetch the whole list again. */
  private known: readonly ModelFacts[] = [];
  private readonly refusals = new LearnedRefusals();

  constructor(
    private readonly settings: ProviderSettings & Pick<ServicePreset, 'keyCheckPath'>,
    private readonly deps: EndpointDeps,
  ) {
    this.name = settings.name;
    this.kind = settings.protocol;
    this.endpoint = parseEndpoint(settings.baseUrl);
    this.destination = this.endpoint?.destination ?? shownAddress(settings.baseUrl);
  }

  async listModels(signal: AbortSignal): Promise<ModelListing> {
    const endpoint = this.endpoint;
    if (endpoint === null) return { kind: 'failed', failure: invalidBaseUrlFailure(this.name, this.settings.baseUrl) };
    const described = this.settings.models ?? [];
    if (described.length > 0)
      return this.described(
        described.map(({ id }) => ({ id })),
        endpoint,
      );
    const key = await this.keyFor(endpoint);
    if (this.lacksKey(endpoint, key))
      return { kind: 'failed', failure: noKeyFailure(this.name, this.destination, 'listing') };
    return this.ask(endpoint, key, signal);
  }

  /** Tests the endpoint and the key. Returns its models or the failure. Queries the endpoint even if the settings
   *  list models. */
  async test(key: string | null, signal: AbortSignal): Promise<ModelListing> {
    const endpoint = this.endpoint;
    if (endpoint === null) return { kind: 'failed', failure: invalidBaseUrlFailure(this.name, this.settings.baseUrl) };
    if (this.lacksKey(endpoint, key))
      return { kind: 'failed', failure: noKeyFailure(this.name, this.destination, 'listing') };
    const refused = await this.refusal(endpoint, key, signal);
    if (refused !== null) return this.failed(refused, null, key);
    const listing = await this.ask(endpoint, key, signal);
    const missing = listing.kind === 'models' ? await this.missingBase(endpoint, key, signal) : null;
    return missing === null ? listing : this.failed(missing, null, key);
  }

  async open(modelId: string, signal: AbortSignal): Promise<ChatModel> {
    const endpoint = this.endpoint;
    if (endpoint === null) throw new ModelError(invalidBaseUrlFailure(this.name, this.settings.baseUrl));
    const key = await this.keyFor(endpoint);
    if (this.lacksKey(endpoint, key)) throw new ModelError(noKeyFailure(this.name, this.destination, 'request'));
    const info = await this.infoOf(modelId, endpoint, key, signal);
    return httpChatModel(info, {
      loadTransports: this.deps.loadTransports,
      settings: {
        protocol: this.kind,
        baseUrl: endpoint.baseUrl,
        key,
        modelId,
        fetch: fetchWithTimeouts(this.deps.fetch),
      },
      policy: endpoint.loopback ? loopbackPolicy : remotePolicy,
      clock: this.deps.clock,
      provider: this.name,
      refusals: this.refusals,
    });
  }

  /** Returns the known facts of a model. The user's own server is queried each time, because its allocation changes.
   *  A hosted one is queried only until its list is known. If a server does not answer now, the actual request will
   *  report it. */
  private async infoOf(
    modelId: string,
    endpoint: Endpoint,
    key: string | null,
    signal: AbortSignal,
  ): Promise<ModelInfo> {
    const known = endpoint.loopback ? undefined : this.known.find(({ id }) => id === modelId);
    if (known !== undefined) return this.describe(known, endpoint);
    const answer = await this.factsFrom(endpoint, key, signal, openingTimeoutMs, modelId);
    const facts =
      answer.kind === 'facts' ? answer.facts.find(({ id }) => id === modelId || id === `${modelId}:latest`) : undefined;
    const fallback = this.kind === 'anthropic' ? factsOfClaude(modelId) : { id: modelId };
    return this.describe({ ...(facts ?? fallback), id: modelId }, endpoint);
  }

  private async ask(endpoint: Endpoint, key: string | null, signal: AbortSignal): Promise<ModelListing> {
    const answer = await this.factsFrom(endpoint, key, signal, listingTimeoutMs, null);
    return answer.kind === 'facts' ? this.described(answer.facts, endpoint) : this.failed(answer.fault, null, key);
  }

  private async factsFrom(
    endpoint: Endpoint,
    key: string | null,
    signal: AbortSignal,
    timeoutMs: number,
    only: string | null,
  ): Promise<FactsAnswer> {
    const { fetch, clock } = this.deps;
    const answer = await askForModels({ endpoint, protocol: this.kind, key, fetch, clock, signal, timeoutMs }, only);
    // Only a local server limits its answer to one model.
    if (answer.kind === 'facts' && (only === null || !endpoint.loopback)) this.known = answer.facts;
    return answer;
  }

  /** Checks the key with a separate request, for a service whose list of models is public. Null when it was not
   *  refused. */
  private async refusal(endpoint: Endpoint, key: string | null, signal: AbortSignal): Promise<TransportFault | null> {
    const { keyCheckPath } = this.settings;
    if (keyCheckPath === undefined) return null;
    return this.faultAt(`${endpoint.baseUrl}${keyCheckPath}`, key, signal);
  }

  /** Checks the base URL of a local program. Such programs list their models on their own routes, whatever the base
   *  URL is, but prompts go to the base URL. */
  private async missingBase(
    endpoint: Endpoint,
    key: string | null,
    signal: AbortSignal,
  ): Promise<TransportFault | null> {
    if (this.kind !== 'openai' || !(endpoint.loopback || endpoint.origin.startsWith('http:'))) return null;
    const fault = await this.faultAt(`${endpoint.baseUrl}/models`, key, signal);
    return fault?.kind === 'http' && fault.status === 404 ? fault : null;
  }

  private async faultAt(url: string, key: string | null, signal: AbortSignal): Promise<TransportFault | null> {
    const headers = keyHeaders(this.kind, key);
    const request = { url, schema: v.unknown(), headers, timeoutMs: listingTimeoutMs, signal };
    const answer = await requestJson(this.deps.fetch, this.deps.clock, request);
    return answer.kind === 'failed' ? answer.fault : null;
  }

  private failed(fault: TransportFault, modelId: string | null, key: string | null): ModelListing {
    const baseUrl = this.endpoint?.baseUrl ?? this.destination;
    return {
      kind: 'failed',
      failure: failureOf(fault, { provider: this.name, modelId, baseUrl, key, purpose: 'listing', delivered: false }),
    };
  }

  private async described(all: readonly ModelFacts[], endpoint: Endpoint): Promise<ModelListing> {
    return { kind: 'models', models: await Promise.all(all.map((facts) => this.describe(facts, endpoint))) };
  }

  /** Combines the facts of a model: the user's, then the server's, then the bundled ones. */
  private async describe(facts: ModelFacts, { baseUrl, loopback }: Endpoint): Promise<ModelInfo> {
    const snapshot = loopback ? null : ((await this.deps.prices?.()) ?? null);
    const usual = loopback ? { price: free } : snapshot === null ? {} : snapshotFacts(snapshot, baseUrl, facts.id);
    return describeModel(
      this,
      { ...usual, ...facts },
      this.settings.models?.find(({ id }) => id === facts.id),
    );
  }

  private async keyFor(endpoint: Endpoint): Promise<string | null> {
    const key = await this.deps.keyOf(this.name, endpoint.origin);
    return key === undefined || key.trim() === '' ? null : key.trim();
  }

  /** True when a required key is missing. An endpoint on this machine or on plain http (the user's own network)
   *  needs no key unless it says otherwise. */
  private lacksKey(endpoint: Endpoint, key: string | null): boolean {
    return key === null && !endpoint.loopback && !endpoint.origin.startsWith('http:');
  }
}

/** A model behind an HTTP endpoint. */
export function httpChatModel(info: ModelInfo, deps: RequestRunnerDeps): ChatModel {
  const refusals = deps.refusals ?? new LearnedRefusals();
  return {
    info,
    stream(request: ModelRequest, signal: AbortSignal): ModelStream {
      return runRequest(fitted(request, info), signal, { ...deps, refusals });
    },
  };
}

/** Removes content that the model is known not to support, so that the service does not refuse the request. */
function fitted(request: ModelRequest, info: ModelInfo): ModelRequest {
  const reasoningEffort = info.efforts.includes(request.reasoningEffort) ? request.reasoningEffort : 'default';
  const asked = { ...request, reasoningEffort, tools: info.tools === false ? [] : request.tools };
  return info.images === false ? withoutImages(asked) : asked;
}
