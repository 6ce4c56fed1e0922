import * as v from 'valibot';
import type { Clock } from '../../base/clock';
import type { Endpoint } from '../http/endpoint';
import { requestJson, type JsonAnswer } from '../http/jsonRequest';
import { anthropicListing, factsOfAnthropicListing } from '../listings/anthropicListing';
import { factsOfOllama, ollamaRunning, ollamaShow, ollamaTags, ollamaVersion } from '../listings/ollama';
import { factsOfOpenaiListing, openaiListing } from '../listings/openaiListing';
import type { ModelFacts } from '../modelFacts';
import type { TransportFault } from '../transport';
import { t } from '../../base/translate';
import { count, readable, text, texts } from '../listings/tolerant';

const lmStudioListing = v.object({
  data: readable(
    v.object({
      id: v.string(),
      type: text,
      max_context_length: count,
      loaded_context_length: count,
      capabilities: texts,
    }),
  ),
});

/** Returns the chat models of `/api/v0/models`, with the context that they were loaded with. */
function factsOfLmStudio(listing: v.InferOutput<typeof lmStudioListing>): readonly ModelFacts[] {
  return listing.data.flatMap(({ id, type, max_context_length, loaded_context_length, capabilities }) =>
    type === 'embeddings'
      ? []
      : [
          {
            id,
            ...(max_context_length === undefined ? {} : { contextWindow: max_context_length }),
            ...(loaded_context_length === undefined ? {} : { allocatedContext: loaded_context_length }),
            contextFix: t('Load it in LM Studio with a larger context length.'),
            ...(capabilities === undefined ? {} : { tools: capabilities.includes('tool_use') }),
            images: type === 'vlm',
          },
        ],
  );
}

export type FactsAnswer =
  | { readonly kind: 'facts'; readonly facts: readonly ModelFacts[] }
  | { readonly kind: 'failed'; readonly fault: TransportFault };

interface EndpointAsked {
  readonly endpoint: Endpoint;
  readonly protocol: 'openai' | 'anthropic';
  readonly key: string | null;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Requests an endpoint's models and their capabilities, by the best route that it has. `only`: limits per-model
 *  requests to this model. */
export async function askForModels(asked: EndpointAsked, only: string | null = null): Promise<FactsAnswer> {
  const { endpoint, protocol } = asked;
  if (protocol === 'anthropic') return askAnthropic(asked);
  // The user's own server, which may have routes with more data. Hosted services are not probed.
  if (endpoint.loopback || endpoint.origin.startsWith('http:')) {
    const [ollama, lmStudio] = await Promise.all([
      get(asked, '/api/version', ollamaVersion),
      get(asked, '/api/v0/models', lmStudioListing),
    ]);
    if (ollama.kind === 'value') return askOllama(asked, only);
    if (lmStudio.kind === 'value') return { kind: 'facts', facts: factsOfLmStudio(lmStudio.value) };
  }
  const listing = await request(asked, `${endpoint.baseUrl}/models`, openaiListing);
  return listing.kind === 'value'
    ? { kind: 'facts', facts: factsOfOpenaiListing(listing.value, new URL(endpoint.origin).hostname) }
    : listing;
}

async function askAnthropic(asked: EndpointAsked): Promise<FactsAnswer> {
  const listing = await request(asked, `${asked.endpoint.baseUrl}/models?limit=1000`, anthropicListing);
  return listing.kind === 'value' ? { kind: 'facts', facts: factsOfAnthropicListing(listing.value) } : listing;
}

async function askOllama(asked: EndpointAsked, only: string | null): Promise<FactsAnswer> {
  const [tags, running] = await Promise.all([
    get(asked, '/api/tags', ollamaTags),
    get(asked, '/api/ps', ollamaRunning),
  ]);
  if (tags.kind === 'failed') return tags;
  const ids = tags.value.models
    .map(({ name }) => name)
    .filter((id) => only === null || id === only || id === `${only}:latest`);
  const facts = await Promise.all(
    ids.map(async (id) => {
      const shown = await request(asked, `${asked.endpoint.origin}/api/show`, ollamaShow, { model: id });
      return factsOfOllama(
        id,
        shown.kind === 'value' ? shown.value : null,
        running.kind === 'value' ? running.value : null,
      );
    }),
  );
  return { kind: 'facts', facts: facts.filter((fact) => fact !== null) };
}

function get<T>(asked: EndpointAsked, path: string, schema: v.GenericSchema<unknown, T>): Promise<JsonAnswer<T>> {
  return request(asked, `${asked.endpoint.origin}${path}`, schema);
}

function request<T>(
  { key, protocol, fetch, clock, signal, timeoutMs }: EndpointAsked,
  url: string,
  schema: v.GenericSchema<unknown, T>,
  body?: unknown,
): Promise<JsonAnswer<T>> {
  return requestJson(fetch, clock, {
    url,
    schema,
    signal,
    timeoutMs,
    headers: keyHeaders(protocol, key),
    ...(body === undefined ? {} : { body }),
  });
}

/** Returns the key headers of each protocol. */
export function keyHeaders(protocol: 'openai' | 'anthropic', key: string | null): Readonly<Record<string, string>> {
  if (protocol === 'anthropic')
    return { 'anthropic-version': '2023-06-01', ...(key === null ? {} : { 'x-api-key': key }) };
  return key === null ? {} : { authorization: `Bearer ${key}` };
}
