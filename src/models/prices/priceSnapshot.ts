import * as v from 'valibot';
import type { ModelFacts } from '../modelFacts';
import type { ModelPrice } from '../modelInfo';

const price = v.pipe(v.number(), v.minValue(0));
const cachePrice = v.nullable(price);
const size = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1)));
/** Tokens from which the prices hold, then the prices. */
const longRow = v.strictTuple([v.number(), price, price, cachePrice, cachePrice]);
/** Input, output, read from the cache, written to the cache, context, maximum output, prices of long requests. */
const row = v.union([
  v.strictTuple([price, price, cachePrice, cachePrice, size, size]),
  v.strictTuple([price, price, cachePrice, cachePrice, size, size, longRow]),
]);
const snapshot = v.object({
  source: v.string(),
  date: v.string(),
  providers: v.record(v.string(), v.record(v.string(), row)),
});
const snapshotText = v.pipe(v.string(), v.parseJson(), snapshot);

/** Prices and context sizes as they were on `date`. Written by scripts/modelPrices.mjs. */
export type PriceSnapshot = v.InferOutput<typeof snapshot>;

/** Base URLs of the services in the snapshot. A prefix, because some hosts also sell plans whose requests have no
 *  price of their own. */
const services: readonly (readonly [baseUrl: string, service: string])[] = [
  ['https://api.anthropic.com/', 'anthropic'],
  ['https://api.cerebras.ai/', 'cerebras'],
  ['https://api.deepseek.com/', 'deepseek'],
  ['https://api.fireworks.ai/inference/', 'fireworks-ai'],
  ['https://api.groq.com/openai/', 'groq'],
  ['https://api.minimax.io/', 'minimax'],
  ['https://api.mistral.ai/', 'mistral'],
  ['https://api.moonshot.ai/', 'moonshotai'],
  ['https://api.openai.com/', 'openai'],
  ['https://api.together.ai/', 'togetherai'],
  ['https://api.together.xyz/', 'togetherai'],
  ['https://api.x.ai/', 'xai'],
  ['https://api.z.ai/api/paas/', 'zai'],
  ['https://generativelanguage.googleapis.com/', 'google'],
];

/** Price of a model on the user's own machine. */
export const free: ModelPrice = { input: 0, output: 0, cachedInput: 0, cacheWrite: 0 };

/** Reads the snapshot's file. Null when it is not one. */
export function readPriceSnapshot(text: string): PriceSnapshot | null {
  const parsed = v.safeParse(snapshotText, text);
  return parsed.success ? parsed.output : null;
}

/** Returns the snapshot's facts about a model of the service at this base URL. Only this service's own row counts:
 *  the same model costs something else elsewhere. Empty when there is none. */
export function snapshotFacts(
  { providers }: PriceSnapshot,
  baseUrl: string,
  modelId: string,
): Pick<ModelFacts, 'price' | 'contextWindow'> {
  const service = services.find(([prefix]) => `${baseUrl}/`.startsWith(prefix))?.[1];
  const models = service === undefined ? undefined : providers[service];
  // Google's list writes "models/gemini-…".
  const found = models?.[modelId] ?? models?.[modelId.replace(/^models\//, '')];
  if (found === undefined) return {};
  const [input, output, cachedInput, cacheWrite, contextWindow, , long] = found;
  return {
    price: {
      ...prices(input, output, cachedInput, cacheWrite),
      ...(long === undefined ? {} : { long: { fromInput: long[0], ...prices(long[1], long[2], long[3], long[4]) } }),
    },
    ...(contextWindow === null ? {} : { contextWindow }),
  };
}

function prices(input: number, output: number, cachedInput: number | null, cacheWrite: number | null): ModelPrice {
  return {
    input,
    output,
    ...(cachedInput === null ? {} : { cachedInput }),
    ...(cacheWrite === null ? {} : { cacheWrite }),
  };
}
