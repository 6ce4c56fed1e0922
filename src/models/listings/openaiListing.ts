import * as v from 'valibot';
import { t } from '../../base/translate';
import type { ModelFacts } from '../modelFacts';
import type { ModelPrice } from '../modelInfo';
import type { ReasoningEffort } from '../../transcript/session';
import { count, flag, maybe, readable, text, texts } from './tolerant';

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
export const openaiListing = v.union([
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
export function factsOfOpenaiListing(
  listing: v.InferOutput<typeof openaiListing>,
  host: string,
): readonly ModelFacts[] {
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
