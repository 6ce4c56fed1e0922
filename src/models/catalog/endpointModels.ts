import * as v from 'valibot';
import type { Clock } from '../../base/clock';
import type { Endpoint } from '../http/endpoint';
import { requestJson, type JsonAnswer } from '../http/jsonRequest';
import { factsOfOllama, ollamaRunning, ollamaShow, ollamaTags, ollamaVersion } from '../listings/ollama';
import type { ModelFacts } from '../modelFacts';
import type { TransportFault } from '../transport';
import { t } from '../../base/translate';
import { count, readable, text, texts, flag, maybe } from '../listings/tolerant';
import type { ModelPrice } from '../modelInfo';
import type { ReasoningEffort } from '../../transcript/session';

const perToken = maybe(v.union([v.string(), v.number()]));

const entries = readable(
  v.object({
    id: v.pipe(v.string(), v.nonEmpty()),
    name: text,
    // Gemini, Together
    display_name: text,
    // Together
    type: text,
    // OpenRouter; vLLM; Groq; Mistral
    context_length: count,
    max_model_len: count,
    context_window: count,
    max_context_length: count,
    supported_parameters: texts,
    architecture: maybe(v.object({ input_modalities: texts, output_modalities: texts })),
    pricing: maybe(
      v.object({ prompt: perToken, completion: perToken, input_cache_read: perToken, input_cache_write: perToken }),
    ),
    // Mistral
    capabilities: maybe(v.object({ completion_chat: flag, function_calling: flag, vision: flag })),
    // Fireworks
    supports_chat: flag,
    supports_tools: flag,
    supports_image_input: flag,
  }),
);
type Entry = v.InferOutput<typeof entries>[number];

/** `/v1/models` in the shapes of OpenAI, OpenRouter, vLLM, Groq, Mistral, Gemini and Fireworks, and of Together, which
 *  sends the bare list. */
const openaiListing = v.union([
  v.object({ data: entries }),
  v.pipe(
    entries,
    v.transform((data) => ({ data })),
  ),
]);

/** Names of models that are not for chat. The list has no better hint. */
const otherThanChat =
  /embed|rerank|whisper|(?:^|[-/])tts|transcribe|dall-e|moderation|realtime|-image|-audio|^sora|guard|(?:^|\/)(?:imagen|veo|lyria|aqa)\b/i;
/** Types of Together's list that are not for chat. */
const otherTypes = /^(?:image|embedding|moderation|rerank|audio|video|transcribe)$/;

/** Returns the list's facts for each chat model. */
function factsOfOpenaiListing(listing: v.InferOutput<typeof openaiListing>, host: string): readonly ModelFacts[] {
  return listing.data.flatMap((entry) => {
    const outputs = entry.architecture?.output_modalities;
    if (
      otherThanChat.test(entry.id) ||
      otherTypes.test(entry.type ?? '') ||
      entry.supports_chat === false ||
      entry.capabilities?.completion_chat === false ||
      (outputs && !outputs.includes('text'))
    )
      return [];
    return [factsOf(entry, host)];
  });
}

function factsOf(entry: Entry, host: string): ModelFacts {
  const window = entry.context_length ?? entry.max_model_len ?? entry.context_window ?? entry.max_context_length;
  const parameters = entry.supported_parameters;
  const tools =
    parameters?.includes('tools') ?? entry.capabilities?.function_calling ?? entry.supports_tools ?? undefined;
  const images =
    entry.architecture?.input_modalities?.includes('image') ??
    entry.capabilities?.vision ??
    entry.supports_image_input ??
    undefined;
  // Gemini lists "models/gemini-…" and takes the name alone.
  const id = host === 'generativelanguage.googleapis.com' ? entry.id.replace(/^models\//, '') : entry.id;
  const efforts = effortsOf(id, parameters ?? null, host);
  const price = priceOf(entry);
  const label = entry.name || entry.display_name;
  return {
    id,
    ...(label ? { label } : {}),
    ...(window ? { contextWindow: window } : {}),
    ...(entry.max_model_len
      ? { allocatedContext: entry.max_model_len, contextFix: t('Start the server with a larger `--max-model-len`.') }
      : {}),
    ...(tools === undefined ? {} : { tools }),
    ...(images === undefined ? {} : { images }),
    ...(efforts === null ? {} : { efforts }),
    ...(price === null ? {} : { price }),
  };
}

function effortsOf(id: string, parameters: readonly string[] | null, host: string): readonly ReasoningEffort[] | null {
  if (parameters !== null)
    return parameters.includes('reasoning') || parameters.includes('reasoning_effort')
      ? ['default', 'low', 'medium', 'high']
      : ['default'];
  if (host === 'api.openai.com')
    return /^(?:o\d|gpt-5)/.test(id) && !/chat/.test(id) ? ['default', 'low', 'medium', 'high'] : ['default'];
  return null;
}

/** Converts the list's price per token to a price per million. A negative price means "varies". */
function priceOf({ pricing }: Entry): ModelPrice | null {
  const [input, output] = [perMillion(pricing?.prompt), perMillion(pricing?.completion)];
  const [cachedInput, cacheWrite] = [perMillion(pricing?.input_cache_read), perMillion(pricing?.input_cache_write)];
  if (input === null || output === null) return null;
  return {
    input,
    output,
    ...(cachedInput === null ? {} : { cachedInput }),
    ...(cacheWrite === null ? {} : { cacheWrite }),
  };
}

function perMillion(price: string | number | null | undefined): number | null {
  const million = price === null || price === undefined || price === '' ? Number.NaN : Number(price) * 1e6;
  return Number.isFinite(million) && million >= 0 ? Math.round(million * 1e4) / 1e4 : null;
}

const anthropicListing = v.object({
  data: readable(v.object({ id: v.string(), display_name: text, max_input_tokens: count })),
});

/** Returns the facts from the list, plus facts that hold for every Claude since 3: 200k tokens, tools and images. */
function factsOfAnthropicListing(listing: v.InferOutput<typeof anthropicListing>): readonly ModelFacts[] {
  return listing.data.map(({ id, display_name, max_input_tokens }) => ({
    ...factsOfClaude(id),
    ...(display_name ? { label: display_name } : {}),
    ...(max_input_tokens ? { contextWindow: max_input_tokens } : {}),
  }));
}

export function factsOfClaude(id: string): ModelFacts {
  if (!id.startsWith('claude-')) return { id };
  // Extended thinking was added in 3.7. Older models refuse the request.
  const thinks = !/^claude-3-(?:opus|sonnet|haiku|5)/.test(id);
  return {
    id,
    contextWindow: 200_000,
    tools: true,
    images: true,
    efforts: thinks ? ['default', 'none', 'low', 'medium', 'high'] : ['default'],
  };
}

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
