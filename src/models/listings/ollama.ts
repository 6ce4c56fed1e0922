import * as v from 'valibot';
import { t } from '../../base/translate';
import type { ModelFacts } from '../modelFacts';
import { count, maybe, readable, text, texts } from './tolerant';

export const ollamaVersion = v.object({ version: v.string() });
export const ollamaTags = v.object({ models: readable(v.object({ name: v.string() })) });
export const ollamaRunning = v.object({
  models: readable(v.object({ name: v.string(), context_length: count })),
});
export const ollamaShow = v.object({
  capabilities: texts,
  parameters: text,
  model_info: maybe(v.record(v.string(), v.unknown())),
});

/** Ollama's default context in tokens. Ollama silently cuts the beginning of longer prompts. */
const defaultContext = 4096;

const fix = (): string =>
  t('Start it with `OLLAMA_CONTEXT_LENGTH=32768 ollama serve`, or set `PARAMETER num_ctx 32768` in a Modelfile.');

/** Returns the facts of one model from `/api/show` and `/api/ps`. Null when it is not a chat model (an embedding
 *  model). */
export function factsOfOllama(
  id: string,
  shown: v.InferOutput<typeof ollamaShow> | null,
  running: v.InferOutput<typeof ollamaRunning> | null,
): ModelFacts | null {
  const capabilities = shown?.capabilities;
  if (capabilities !== undefined && !capabilities.includes('completion')) return null;
  const window = contextLength(shown?.model_info ?? {});
  const set = Number(/^num_ctx\s+(\d+)/m.exec(shown?.parameters ?? '')?.[1]);
  const loaded = running?.models.find(({ name }) => name === id)?.context_length;
  const allocated = loaded ?? (Number.isFinite(set) ? set : Math.min(defaultContext, window ?? defaultContext));
  return {
    id,
    ...(window === null ? {} : { contextWindow: window }),
    allocatedContext: allocated,
    contextFix: fix(),
    ...(capabilities === undefined
      ? {}
      : { tools: capabilities.includes('tools'), images: capabilities.includes('vision') }),
    efforts: capabilities?.includes('thinking') === true ? ['default', 'none', 'low', 'medium', 'high'] : ['default'],
  };
}

function contextLength(info: Readonly<Record<string, unknown>>): number | null {
  const value = Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1];
  return typeof value === 'number' ? value : null;
}
